import { html, type Markup } from './markup.ts';

/** A scale from a quantity to the picture, with the marks that it shows. */
export interface Axis {
  label: string;
  from: number;
  to: number;
  scale: 'linear' | 'log';
  marks: readonly { at: number; text: string }[];
}

export interface Line {
  name: string;
  points: readonly (readonly [x: number, y: number])[];
  /** Which of the picture's strokes: they differ in dashes too, since a page may be printed in black. */
  stroke: number;
}

export interface Dot {
  x: number;
  y: number;
  low: number;
  high: number;
  text: string;
}

const width = 640;
const height = 420;
const frame = { left: 66, right: 620, top: 16, bottom: 360 } as const;

/** One picture: axes, lines, and dots with their intervals. `says` is its content in words, for those who do not see it. */
export function chart(parts: {
  says: string;
  x: Axis;
  y: Axis;
  lines: readonly Line[];
  dots?: readonly Dot[];
}): Markup {
  const x = (value: number): number => place(parts.x, value, frame.left, frame.right);
  const y = (value: number): number => place(parts.y, value, frame.bottom, frame.top);
  return html`<figure>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${parts.says}">
      ${parts.x.marks.map(
        ({ at, text }) =>
          html`<line class="grid" x1="${x(at)}" y1="${frame.top}" x2="${x(at)}" y2="${frame.bottom}" /><text
              x="${x(at)}"
              y="${frame.bottom + 20}"
              text-anchor="middle"
              >${text}</text
            >`,
      )}
      ${parts.y.marks.map(
        ({ at, text }) =>
          html`<line class="grid" x1="${frame.left}" y1="${y(at)}" x2="${frame.right}" y2="${y(at)}" /><text
              x="${frame.left - 8}"
              y="${y(at) + 5}"
              text-anchor="end"
              >${text}</text
            >`,
      )}
      <text x="${(frame.left + frame.right) / 2}" y="${height - 12}" text-anchor="middle">
        ${parts.x.label}
      </text>
      <text transform="translate(16 ${(frame.top + frame.bottom) / 2}) rotate(-90)" text-anchor="middle">
        ${parts.y.label}
      </text>
      ${parts.lines.map(
        ({ points, stroke }) =>
          html`<polyline
            class="line stroke-${stroke}"
            points="${points.map(([at, value]) => `${x(at)},${y(value)}`).join(' ')}"
          />`,
      )}
      ${(parts.dots ?? []).map(
        (dot) =>
          html`<line
              class="interval"
              x1="${x(dot.x)}"
              y1="${y(dot.low)}"
              x2="${x(dot.x)}"
              y2="${y(dot.high)}"
            /><circle cx="${x(dot.x)}" cy="${y(dot.y)}" r="5" /><text
              class="note"
              x="${x(dot.x) + 8}"
              y="${Math.min(y(dot.y) + 18, frame.bottom - 6)}"
              >${dot.text}</text
            >`,
      )}
    </svg>
    <figcaption>${parts.says}${legend(parts.lines)}</figcaption>
  </figure>`;
}

function legend(lines: readonly Line[]): Markup {
  return html`<ul class="legend">
    ${lines.map(
      ({ name, stroke }) =>
        html`<li>
          <svg viewBox="0 0 40 10" aria-hidden="true">
            <line class="line stroke-${stroke}" x1="0" y1="5" x2="40" y2="5" /></svg
          >${name}
        </li>`,
    )}
  </ul>`;
}

/** To a tenth of a unit of the picture. What lies outside the axis stands at its end: an interval down to 0 has no place on a log scale. */
function place(axis: Axis, value: number, first: number, last: number): number {
  const to = (each: number): number => (axis.scale === 'log' ? Math.log(each) : each);
  const inside = Math.max(axis.from, Math.min(axis.to, value));
  const share = (to(inside) - to(axis.from)) / (to(axis.to) - to(axis.from));
  return Math.round(10 * (first + share * (last - first))) / 10;
}
