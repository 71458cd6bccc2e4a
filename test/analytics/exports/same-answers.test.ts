/** Compares what DuckDB computes from exported files with what the API answers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { describeWithDuckdb } from '#test/harness/duckdb.ts';
import { exportFolder, exportTo } from '#test/harness/exports.ts';
import { clock, service } from '#test/harness/service.ts';
import { demo, recordUntil } from '#test/infra/local/recorded-demo.ts';
import { throughHttp } from '../oracle/asked.ts';
import { command, play } from '../oracle/commands.ts';
import { siteOverHttp } from '../oracle/site.ts';
import { World } from '../oracle/world.ts';
import { compare } from './compare.ts';

const DAY = 24 * 3_600_000;
const TEN_MINUTES = 10 * 60_000;
describeWithDuckdb('DuckDB on exported files', () => {
  test('For random histories of runs, corrections and deletions, DuckDB computes the same results from the exported files as the API returns', async () => {
    const stage = await service();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 12 }), async (commands) => {
        const from = Date.now() - DAY;
        const site = await siteOverHttp(stage);
        const world = new World(site.recorder);
        for (const one of commands) await play(world, one);
        for (let sweep = 0; sweep < 3; sweep += 1) {
          clock.advance(TEN_MINUTES);
          await site.sweep();
        }
        const { services, scope, ask } = site;
        const { printed, executions } = await exportTo(await exportFolder(), { services, ...scope });
        const period = { from, to: Date.now() + 1 };
        if (printed.executions > 0) await compare({ ask, executions, period });
        await site.leave();
      }),
      { numRuns: cases(20, 2) },
    );
  });

  test('For the demo data, DuckDB computes the same results from the exported files as the API returns', async () => {
    const shown = await demo({ story: true });
    await recordUntil(shown, cases(20, 2));
    const { here, api: reader, organizationId, projects } = shown;
    clock.advance(TEN_MINUTES);
    await here.runSchedule('mergeAnalytics');
    const [projectId = ''] = projects.map((project) => project.projectId);
    const folder = await exportFolder();
    const { printed, executions } = await exportTo(folder, { ...here, organizationId, projectId });
    expect(printed.executions).toBeGreaterThan(100);
    const period = { from: Date.now() - 300 * DAY, to: Date.now() + DAY };
    await compare({ ask: throughHttp({ projectId, reader }), executions, period });
  });
});
