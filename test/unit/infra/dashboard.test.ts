import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDashboard, type Panel } from '../../support/alert-rules.ts';

const { panels } = readDashboard();

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

describe('the dashboard', () => {
  it('has panels that stand beside one another, each once', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const [n, panel] of panels.entries()) {
      assert.ok(panel.gridPos.x + panel.gridPos.w <= 24, panel.title);
      for (const other of panels.slice(n + 1))
        assert.ok(!overlap(panel, other), `${panel.title} / ${other.title}`);
    }
  });

  it('asks the Prometheus that is chosen, and names every line', () => {
    for (const { title, type, datasource, targets } of panels) {
      if (type === 'row') continue;
      assert.deepEqual(datasource, { type: 'prometheus', uid: '${datasource}' }, title);
      assert.ok(targets.length > 0, title);
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
      for (const { expr, legendFormat } of targets) {
        assert.notEqual(legendFormat, '', title);
        // A label that the expression does not keep would be an empty name.
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          assert.match(expr, new RegExp(`by \\([^)]*\\b${label}\\b[^)]*\\)`), `${title}: ${label}`);
      }
    }
  });
});
