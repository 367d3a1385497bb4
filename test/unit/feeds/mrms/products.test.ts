import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isTaken, mesh_products } from '../../../../services/feeds/mrms/products.ts';
import { publisherTable } from '../../../support/granules.ts';

describe('the products', () => {
  const names = { MESH: 'MESH', MESH_Max_60min: 'MESHMax60min' } as const;

  for (const product of Object.values(mesh_products)) {
    it(`${product.name} is a row of the publisher's own table`, () => {
      const row = publisherTable()
        .split(/\r?\n/)
        .map((line) => line.split(','))
        .find((fields) => fields[3] === names[product.name]);
      const [discipline, category, number, , , unit, missing, , no_coverage] = row ?? [];
      assert.deepEqual(
        [product.discipline, product.category, product.number, product.no_hail_mm, product.no_coverage_mm],
        [discipline, category, number, missing, no_coverage].map(Number),
      );
      assert.equal(unit, 'mm');
    });
  }

  it('of an hour are taken at the full hour, the others all', () => {
    const at = (text: string): number => Date.parse(`2026-06-10T${text}Z`);
    const { MESH, MESH_Max_60min } = mesh_products;
    const stamps = ['21:00:00', '21:02:00', '21:30:40', '00:00:00', '21:00:01'].map(at);
    assert.deepEqual(
      stamps.map((stamp) => isTaken(MESH_Max_60min, stamp)),
      [true, false, false, true, false],
    );
    assert.ok(stamps.every((stamp) => isTaken(MESH, stamp)));
  });
});
