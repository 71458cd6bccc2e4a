/**
 * Compares the failure context of a suite with golden files that were verified by hand. The suite has one test per kind
 * of failure, and the published reporter records it.
 */
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { PROJECT } from '#infra/build/declarations.ts';
import { service } from '#test/harness/service.ts';
import { runSample } from './programs.ts';

const EXPECTED = join(import.meta.dirname, '../samples/playwright-failures/expected');

/** The last part of each test title, by the name of the golden file of the test. */
const TESTS = {
  nested: 'an assertion fails in a nested step',
  timeout: 'the time runs out while a step waits',
  hook: 'before the test begins',
  flaky: 'is flaky',
  'two-errors': 'fails twice, each time otherwise',
  soft: 'several soft assertions fail',
  crash: 'the worker dies',
} as const;

interface Listed {
  readonly testId: string;
  readonly instanceId: string;
  readonly spec: string;
  readonly traceErrorAnalysis: object | null;
  readonly test: { readonly title: readonly string[] };
}

async function recorded() {
  vi.useRealTimers();
  const tenant = await service();
  await runSample(tenant, { ciBuildId: 'failures', suite: 'playwright-failures' });
  const found = await tenant.api.get(`/runs/find?projectId=${tenant.projectId}&ciBuildId=failures`);
  const { runId } = found.body.data;
  const read = async (): Promise<Listed[]> =>
    (await tenant.api.get(`/context?run_id=${runId}&include_flaky=true`)).body.data.list;
  // One test has no trace to analyze, because its worker was killed.
  const unread = async () => (await read()).filter((listed) => listed.traceErrorAnalysis === null).length;
  await expect.poll(unread).toBe(1);
  return { tenant, runId, list: await read() };
}

/** Replaces values that differ between test runs or machines with placeholders. */
function neutral(text: string, { tenant, runId, list }: Awaited<ReturnType<typeof recorded>>): string {
  const linked = text.replaceAll(
    /https?:\/\/(?:127\.0\.0\.1|localhost):\d+\/[^\s"<>)]+/g,
    'https://files.example.com/a',
  );
  const named = list.reduce((so, { instanceId, spec }) => so.replaceAll(instanceId, `{instance of ${spec}}`), linked);
  return (
    named
      .replaceAll(PROJECT, '/project')
      .replaceAll(runId, '{run}')
      .replaceAll(tenant.projectId, '{project}')
      .replaceAll(/("?signature"?:? ["`])[0-9a-f]{32}/g, '$1{signature}')
      .replaceAll(/(\/test-results\/)[0-9a-f]{32}/g, '$1{signature}')
      .replaceAll(/(date_(?:start|end)=)[^&`"]+/g, '$1{date}')
      .replaceAll(/("?(?:duration|offset)"?: )\d+/g, '$11')
      .replaceAll(/\b\d+(\.\d+)? m?s\b/g, '1 ms')
      .replaceAll(/## Git\n\n(?:- .*\n)+\n/g, '')
      // `failingSince` is present only if the tests run in a checkout of the default branch.
      .replaceAll(/,\n\s*"failingSince": \{[\s\S]*?\n\s*\}/g, '')
      .replaceAll(/[-*] Failing on the default branch since .*\n/g, '')
      .replaceAll(/(Operating system: `)[^`]+/g, '$1…')
      .replaceAll(/("(?:branch|sha|repository|osName|osVersion)": )("[^"]*"|null)/g, '$1"…"')
  );
}

describe('§2.4, §4.3 the failure context of a recorded suite', () => {
  test('The failure contexts of a recorded run at each level of detail, of one of its spec files and of seven tests equal the golden files, as JSON and as Markdown', async () => {
    const run = await recorded();
    const asked: [string, string][] = [
      ['run', `run_id=${run.runId}&include_flaky=true`],
      ['run-compact', `run_id=${run.runId}&include_flaky=true&detail=compact`],
      ['run-summary', `run_id=${run.runId}&include_flaky=true&detail=summary`],
    ];
    const spec = run.list.find((listed) => listed.spec === 'failures.spec.ts');
    asked.push(['instance', `run_id=${run.runId}&instance_id=${spec?.instanceId}`]);
    for (const [name, title] of Object.entries(TESTS)) {
      const listed = run.list.find(({ test: { title: parts } }) => parts.at(-1) === title);
      asked.push([name, `instance_id=${listed?.instanceId}&test_id=${listed?.testId}`]);
    }
    for (const [name, query] of asked) {
      const json = await run.tenant.api.get(`/context?${query}`);
      expect(json.status, name).toBe(200);
      const text = `${JSON.stringify(json.body, null, 2)}\n`;
      await expect(neutral(text, run)).toMatchFileSnapshot(join(EXPECTED, `${name}.json`));
      const { status, body } = await run.tenant.api.get(`/context?${query}&format=md`);
      expect(status, name).toBe(200);
      await expect(neutral(body, run)).toMatchFileSnapshot(join(EXPECTED, `${name}.md`));
    }
  });
});
