import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { methodologyPage } from '../../../services/api/methodology-page.ts';
import { html, percent } from '../../../services/api/methodology-page/markup.ts';
import { exampleQuestion } from '../../../services/hail/methodology/example.ts';
import { currentScoreModel, methodology } from '../../../services/hail/methodology/methodology.ts';
import { scoreRoof } from '../../../services/hail/score/score.ts';

const page = methodologyPage();
/** The page as it is read: without tags, spaces folded. */
const text = page
  .replace(/<[^>]*>/g, ' ')
  .replace(/&gt;/g, '>')
  .replace(/&lt;/g, '<')
  .replace(/&quot;/g, '"')
  .replace(/&amp;/g, '&')
  .replace(/\s+/g, ' ');
const folded = (some: string): string => some.replace(/\s+/g, ' ');

describe('the methodology page', () => {
  it('says everything that the file says in words: summary, priors, roofs, limits, data, changes', () => {
    const { summary, limits, score, fit, changelog } = methodology;
    const words = [
      ...summary,
      ...limits,
      ...Object.values(score.priors).flatMap(({ says, source }) => [says, source]),
      ...Object.values(score.roofs).map(({ source }) => source),
      ...fit.data.files.flatMap(({ name, sha256 }) => [name, sha256]),
      ...changelog.map(({ summary: what }) => what),
    ];
    for (const each of words) assert.ok(text.includes(folded(each)), each);
  });

  it('shows every requirement of an inch as reached or not, and what larger sizes miss', () => {
    const [severe, ...larger] = methodology.fit.reliability;
    for (const { says, figure, reached } of severe?.requirements ?? []) {
      assert.ok(text.includes(folded(`${says} ${figure} ${reached ? 'reached' : 'not reached'}`)), says);
    }
    for (const { class_in, outcomes, requirements } of larger) {
      for (const { says, figure, reached } of requirements) {
        assert.equal(text.includes(`${class_in} in ${outcomes} ${says} ${figure}`), !reached, says);
      }
    }
    for (const { year, brier } of severe?.by_year ?? []) {
      assert.match(text, new RegExp(`${year} .{0,40}${String(brier).replace('.', '\\.')}`));
    }
  });

  it('says which size classes there are and what stands for each, or nobody could work a score out', () => {
    assert.ok(text.includes(`Classes begin at ${methodology.score.size_classes_in.join(', ')} in`));
    assert.match(text, /geometric middle/);
    assert.match(text, /in a straight line/);
  });

  it('works the example out to the number that the score gives', () => {
    const { value, tier, falls } = scoreRoof(currentScoreModel, exampleQuestion(methodology.example));
    assert.ok(
      text.includes(`so the score is ${value} , ${tier}.`) ||
        text.includes(`so the score is ${value}, ${tier}.`),
    );
    for (const { damage } of falls) assert.ok(text.includes(`(1 - ${damage.toFixed(4)})`));
    assert.ok(text.includes('NOT REAL'));
  });

  it('draws the reliability diagram, the sizes and the roofs inside their frames', () => {
    const pictures = [...page.matchAll(/<svg\s+viewBox="0 0 640 420".*?<\/svg>/gs)].map(([svg]) => svg);
    assert.equal(pictures.length, 3);
    for (const svg of pictures) {
      const points = [...svg.matchAll(/points="([^"]*)"/g)].flatMap(([, list = '']) => list.split(' '));
      assert.ok(points.length >= 2);
      for (const point of points) {
        const [x = NaN, y = NaN] = point.split(',').map(Number);
        assert.ok(x >= 66 && x <= 620 && y >= 16 && y <= 360, point);
      }
      assert.match(svg, /role="img"/);
      assert.match(svg, /aria-label="[^"]{20,}"/);
    }
    const dots = pictures.flatMap((svg) => [...svg.matchAll(/<circle/g)]);
    assert.equal(dots.length, methodology.fit.reliability[0]?.curve.length);
  });

  it('places a point of the diagram where its numbers lie', () => {
    // By hand: log scale from 0.0005 to 0.6 over 66..620 and 360..16; the fourth point of the file.
    const point = methodology.fit.reliability[0]?.curve[3];
    assert.ok(point);
    const share = (value: number): number => Math.log(value / 0.0005) / Math.log(0.6 / 0.0005);
    const cx = (66 + 554 * share(point.mean_forecast)).toFixed(1).replace(/\.0$/, '');
    const cy = (360 - 344 * share(point.observed)).toFixed(1).replace(/\.0$/, '');
    assert.match(page, new RegExp(`<circle\\s+cx="${cx}"\\s+cy="${cy}"`));
  });

  it('needs nothing but itself, fits a phone, and can be printed', () => {
    assert.doesNotMatch(page, /<script|<link(?! rel="icon" href="data:," \/>)|src=|url\(|@import/);
    assert.match(page, /<link rel="icon"/, 'or the browser asks for /favicon.ico');
    assert.match(page, /<meta name="viewport" content="width=device-width/);
    assert.match(page, /@media print/);
    assert.doesNotMatch(page, /undefined|NaN|\[object/);
    assert.match(page, /^<!doctype html>/);
  });

  it('escapes whatever is no markup', () => {
    assert.equal(html`<p title="${'"><script>'}">${'a & b < c'}</p>`.markup.includes('<script>'), false);
    assert.ok(html`<b>${'a & b < c'}</b>`.markup.includes('a &amp; b &lt; c'));
    assert.deepEqual([0, 0.0123456, 0.5, 1].map(percent), ['0 %', '1.2 %', '50 %', '100 %']);
  });
});
