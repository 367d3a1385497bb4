import { describe } from 'node:test';
import { storm } from './storm.ts';
import { heldFile } from './twins.ts';

describe('the API in a storm', () => {
  storm('on the embedded log', heldFile);
});
