/** One column on a phone, the same on paper; lines differ by dashes and not by colour alone. */
export const style = `
:root { color-scheme: light; --ink: #1b1f24; --soft: #5b6570; --rule: #d5dae0; --one: #0b4f8a; --two: #a3480b; --three: #1f6b3a; }
body { font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: #fff; max-width: 44rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
.soft { color: var(--soft); } code { font-size: .9em; overflow-wrap: anywhere; }
pre { background: #f4f6f8; padding: .8rem; overflow-x: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--rule); }
td { font-variant-numeric: tabular-nums; } thead th { color: var(--soft); } th { font-weight: 600; }
figure { margin: 1.2rem 0; } figure > svg { width: 100%; height: auto; } figcaption { color: var(--soft); font-size: .9rem; }
svg text { font: 13px system-ui, sans-serif; fill: var(--soft); } .grid { stroke: var(--rule); stroke-width: 1; }
.line { fill: none; stroke-width: 2.5; stroke: var(--ink); }
.stroke-1 { stroke: var(--one); stroke-dasharray: 10 4; } .stroke-2 { stroke: var(--two); stroke-dasharray: 3 4; }
.stroke-3 { stroke: var(--three); stroke-dasharray: 14 4 3 4; } .stroke-4 { stroke: var(--soft); }
.stroke-5 { stroke: var(--one); } .stroke-6 { stroke: var(--two); stroke-dasharray: 8 3; } .stroke-7 { stroke: var(--three); stroke-dasharray: 2 3; }
circle { fill: var(--one); } .interval { stroke: var(--one); stroke-width: 2; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; } .legend svg { width: 2.5rem; height: .6rem; margin-right: .4rem; }
@media print { body { max-width: none; font-size: 10pt; } .wide { overflow: visible; } h2 { break-after: avoid; } figure, tr { break-inside: avoid; } }
`;
