import { pythonIsMissing, pythonWithPackages } from './python.ts';

/** Fetches what the foreign clients need ahead of the tests, as CI does. */
const missing = await pythonIsMissing();
if (missing === false) await pythonWithPackages();
else console.log(`The foreign client's tests will be skipped: ${missing}.`);
