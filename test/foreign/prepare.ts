import { pythonIsMissing, pythonWithPackages, requirement_files } from './python.ts';

/** Fetches what the foreign clients need ahead of the tests, as CI does. */
const missing = await pythonIsMissing();
if (missing === false) for (const file of requirement_files) await pythonWithPackages(file);
else console.log(`The foreign client's tests will be skipped: ${missing}.`);
