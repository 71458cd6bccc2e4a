/** The merged view of a build whose failed job was run again: everything that shows the build shows the same. */
import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createBadge } from '#shared/badges/badges.ts';
import { HEAD } from '#test/harness/code-host.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { imported, junit } from '#test/imports/reports.ts';
import { stage } from './stage.ts';

deliverEvents();

const FIRST = junit({
  'cart.test.ts': { sums: 'failed', rounds: 'failed', opens: 'passed' },
  'price.test.ts': { adds: 'passed' },
});
const AGAIN = junit({ 'cart.test.ts': { sums: 'passed', rounds: 'failed', opens: 'passed' } });
const THIRD = junit({ 'cart.test.ts': { sums: 'passed', rounds: 'passed', opens: 'passed' } });

const query = (attempt: number) =>
  `ciBuildId=r-9-${attempt}&githubRunId=9&githubRunAttempt=${attempt}&job=unit&branch=feature&sha=${HEAD}&pullRequest=7`;

/** The latest status of the commit that the tries test. The base has statuses of its own. */
const statusOfHead = ({ host }: Awaited<ReturnType<typeof stage>>) => host.statuses.findLast(({ sha }) => sha === HEAD);

test('A build whose failed job was run again is one line with its tries, and page, comparison, status, comment and badge show its newest executions', async () => {
  const here = await stage();
  await here.save();
  const { organizationId, projectId, services } = here;
  const guest = await signedIn(here, 'guest');
  const path = `/${organizationId}/${projectId}/runs`;
  const attempt = async (report: string, number: number) => {
    clock.advance(60_000);
    return (await imported(here, report, query(number))).runId;
  };
  const base = await imported(here, THIRD, `ciBuildId=main&branch=main&sha=${'c'.repeat(40)}`);
  const first = await attempt(FIRST, 1);
  await here.settled(4);
  expect(statusOfHead(here)).toMatchObject({ state: 'failure', description: '2 failed of 4' });
  expect(await read(here.api, `/runs/${first}`)).not.toHaveProperty('build');

  const second = await attempt(AGAIN, 2);
  await here.settled(6);
  expect(statusOfHead(here)).toMatchObject({ state: 'failure', description: '1 of 1 build failed' });
  expect(here.host.comments).toHaveLength(1);
  expect(here.host.comments[0]?.body).toContain('1 failed, 1 flaky of 4, after 2 tries');
  expect(await read(here.api, `/runs/${second}`)).toMatchObject({
    status: 'FAILED',
    build: {
      status: 'FAILED',
      newestRunId: second,
      tests: { overall: 4, passes: 3, failures: 1, flaky: 1 },
      tries: [
        { runId: first, status: 'FAILED' },
        { runId: second, status: 'FAILED' },
      ],
    },
  });
  const compared = await read(here.api, `/runs/${second}/comparison`);
  const titlesOf = (verdict: string) =>
    compared.sections
      .find((one: { verdict: string }) => one.verdict === verdict)
      ?.tests.map(({ title, runId }: { title: string[]; runId: string }) => [title.at(-1), runId]);
  expect(compared.base.runId).toBe(base.runId);
  expect([titlesOf('new'), titlesOf('flaky')]).toEqual([[['rounds', second]], [['sums', first]]]);

  const third = await attempt(THIRD, 3);
  await here.settled(8);
  expect(statusOfHead(here)).toMatchObject({ state: 'success', description: 'The build passed' });
  expect(here.host.comments[0]?.body).toContain('2 flaky of 4, after 3 tries');
  const badge = await createBadge(services, {
    organizationId,
    projectId,
    actor: OPERATOR,
    branch: 'feature',
    label: 'x',
  });
  expect(badge.state).toMatchObject({ runId: third, hasFailed: false, failures: 0, flaky: 2 });
  const page = await guest.get(`${path}/${third}`);
  expect(page.text).toContain('Try 3 of 3');
  expect(page.text).toContain('Try 3, this one');
  const list = await guest.get(path);
  const rows = list.elements.filter(({ tagName }) => tagName === 'li').length;
  expect(rows).toBeGreaterThan(0);
  expect(list.links.filter((link) => link === `${path}/${third}`)).toHaveLength(1);
  expect(list.text).toContain('3 tries');
  expect(list.text).toContain('2 runs');
});

test('A build id that people chose finds the newest try, and a try that passes does not hide what another job failed', async () => {
  const here = await stage();
  const send = (report: string, attempt: number, job: string) => {
    clock.advance(1000);
    return imported(here, report, `ciBuildId=b&githubRunId=9&githubRunAttempt=${attempt}&job=${job}&branch=main`);
  };
  await send(FIRST, 1, 'linux');
  const { runId } = await send(THIRD, 2, 'windows');
  const found = await read(here.api, `/runs/find?projectId=${here.projectId}&ciBuildId=b`);
  expect(found).toMatchObject({ runId, status: 'PASSED', build: { status: 'FAILED', tests: { failures: 2 } } });
});
