import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  plainNumber,
  readAddressLine,
  streetSuffixTyped,
} from '../../../services/api/geocoder/address-line.ts';

describe('reading an address line', () => {
  const lines: [
    line: string,
    number: string | null,
    street: string,
    city: string | null,
    state: string | null,
    zip: string | null,
  ][] = [
    ['14001 Conner Downs, Pflugerville, TX 78660', '14001', 'CONNER DOWNS', 'PFLUGERVILLE', 'TX', '78660'],
    ['4600 Silver Hill Rd, Washington, DC 20233', '4600', 'SILVER HILL RD', 'WASHINGTON', 'DC', '20233'],
    ['300 SW 10th Ave, Topeka, Kansas', '300', 'SW 10TH AVE', 'TOPEKA', 'KS', null],
    [
      '100 Military Plaza San Antonio TX 78205-1234',
      '100',
      'MILITARY PLAZA SAN ANTONIO',
      null,
      'TX',
      '78205',
    ],
    ['123-45 Main St, Queens, New York 11368', '12345', 'MAIN ST', 'QUEENS', 'NY', '11368'],
    ['12A Elm St., Concord, N.H. 03301', '12A', 'ELM ST', 'CONCORD', 'NH', '03301'],
    ['Apt 4, 123 Oak St, St. Louis, MO, USA', '123', 'OAK ST', 'ST LOUIS', 'MO', null],
    ['123 Oak St, Apt 4, Norman, Oklahoma 73069', '123', 'OAK ST', 'NORMAN', 'OK', '73069'],
    ['100 Main St, Charleston, West Virginia', '100', 'MAIN ST', 'CHARLESTON', 'WV', null],
    ['N6W23001 Bluemound Rd, Waukesha, WI', 'N6W23001', 'BLUEMOUND RD', 'WAUKESHA', 'WI', null],
    ['2nd Floor, 100 Main St, Austin, TX', '100', 'MAIN ST', 'AUSTIN', 'TX', null],
    ['10th Ave, Topeka, KS', null, '', null, 'KS', null],
    ['9 Oak St, Springfield, IL 62701 1234', '9', 'OAK ST', 'SPRINGFIELD', 'IL', '62701'],
    ['9 Oak St, Springfield, IL 627011234', '9', 'OAK ST', 'SPRINGFIELD', 'IL', '62701'],
    ['Austin, TX 78701', null, '', null, 'TX', '78701'],
  ];
  for (const [line, number, street, city, state, zip] of lines) {
    it(`reads ${line}`, () => {
      const read = readAddressLine(line);
      assert.deepEqual(
        [read.house_number, read.street.join(' '), read.city?.join(' ') ?? null, read.state, read.zip],
        [number, street, city, state, zip],
      );
    });
  }

  it('says where the state stands beside the street without a comma', () => {
    assert.equal(readAddressLine('100 Oak Ct 78701').state_beside_street, true);
    assert.equal(readAddressLine('100 Oak Ct, Hartford, CT').state_beside_street, false);
  });

  it('finds the suffix before a direction and a unit', () => {
    assert.equal(streetSuffixTyped(['10TH', 'AVENUE', 'SW', 'APT', '4']), 'AVE');
    assert.equal(streetSuffixTyped(['CONNER', 'DOWNS']), null);
    assert.equal(streetSuffixTyped(['PARK']), null);
  });

  it('compares numbers without hyphens and leading zeros', () => {
    assert.equal(plainNumber('0123-45'), '12345');
    assert.equal(plainNumber('0'), '0');
  });
});
