// Preloaded before any .ts file: an old Node cannot even parse those, and would answer with a stack trace.
const wanted = [22, 18];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < wanted[0] || (major === wanted[0] && minor < wanted[1])) {
  console.error(
    `Hailmark needs Node ${wanted.join('.')} or newer and this is ${process.versions.node}: run it through npm ` +
      '(`npm install` brings Node 24 into node_modules, npm scripts use it) or install a newer Node.',
  );
  process.exit(1);
}

// What everyone knows by now: node:sqlite is young, and kafkajs arms timers that are due already. Any other warning is shown.
const known = new Set(['ExperimentalWarning', 'TimeoutNegativeWarning']);
process.removeAllListeners('warning');
process.on('warning', ({ name, message, stack }) => {
  if (!known.has(name)) console.error(stack ?? `${name}: ${message}`);
});
