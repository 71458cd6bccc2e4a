/** Records runs that together have every kind of row, and finds the kind of a row by its keys. */
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { recordLive } from '#test/harness/live-recording.ts';
import { startSession, takeTask } from '#test/harness/orchestration.ts';
import { claim, createRecord, recordRun, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, flaky, running, skipped, suiteGroup } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { clock, type service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';

const CART = 'cart.spec.ts > sums';
const TAX = 'tax.spec.ts > rounds';
const SUITE = [suiteGroup('retail', [CART, TAX])];

type Stage = Awaited<ReturnType<typeof service>>;
type Item = Awaited<ReturnType<typeof itemsWith>>[number];

/** Partition key and sort key patterns that identify the rows of each kind. */
export const KINDS: Readonly<Record<string, RegExp>> = {
  run: /^RUN#\w+#\w+ RUN$/,
  'run, listed': /^RUNS#/,
  'run, by GitHub build': /^GITHUB#/,
  'run, by word': /^WORDS#/,
  'run, of a commit': /^COMMIT#/,
  'try of a build': /^BUILD#\w+#\w+#\S+ TRY#/,
  'run, complete': /^COMPLETE#/,
  'run, of a pull request': /^PULL#/,
  'run, with a pull request': /^PULLS#/,
  'due run': /^DUE#run#/,
  group: /^RUN#\w+#\w+ GROUP#/,
  instance: /^RUN#\w+#\w+ INSTANCE#/,
  'test record': /^INSTANCE#\w+#\w+ TEST#\w+$/,
  evidence: /^INSTANCE#\w+#\w+ TEST#\w+#EVIDENCE#/,
  'trace analysis': /^INSTANCE#\w+#\w+ TEST#\w+#TRACE#/,
  artifact: /^INSTANCE#\w+#\w+ ARTIFACT#/,
  'instance details': /^INSTANCE#\w+#\w+ DETAILS#/,
  'state of an instance': /^INSTANCE#\w+#\w+ RESET$/,
  'expected tests': /^INSTANCE#\w+#\w+ SUITE#/,
  'uploaded results': /^INSTANCE#\w+#\w+ TALLY$/,
  'run problems': /^PROBLEM#/,
  'due files': /^DUE#files#/,
  failure: /^FAILURES#/,
  'shown files of an instance': /^FILES#/,
  'live counters': /^PROGRESS#/,
  'suites of a run': /^SUITES#/,
  'history row': /^(HISTORY|NOTABLE)#/,
  'affected test': /^AFFECTED#/,
  'quarantined test': /^QUARANTINED#/,
  join: /^JOIN#/,
  'recording machine': /^MACHINE#/,
  'start lock': /^START#/,
  'orchestration session': /^ORCHESTRATION#\w+#\w+ SESSION$/,
  'orchestration plan': /^ORCHESTRATION#\w+#\w+ PLAN#/,
  'orchestration task': /^ORCHESTRATION#\w+#\w+ TASK#/,
  'orchestration machine': /^ORCHESTRATION#\w+#\w+ MACHINE#/,
  'analytics facts': /^RUN#\w+#\w+ FACTS#/,
};

export const placeOf = ({ pk, sk }: Item): string => `${pk} ${sk}`;
export const kindOf = (row: Item): string =>
  Object.entries(KINDS).find(([, place]) => place.test(placeOf(row)))?.[0] ?? `unknown: ${placeOf(row)}`;

/**
 * Returns the rows of the organization that belong to runs. Leaves out rows that belong to the organization, such as
 * keys, audit records, totals, search terms and call slots, marks of stopped runs, which expire, and outbox events, which
 * the relay deletes.
 */
export const rowsOfRuns = async ({ environment, organizationId }: Stage): Promise<Item[]> =>
  (await itemsWith(environment, organizationId)).filter(
    (row) =>
      placeOf(row).includes(organizationId) &&
      !/^(OUTBOX|ORG|ORGS|PROJECTS?|KEYS?|AUDIT|NAMES|NEWS|PENDING|ROOTS|SLOTS|SPAN|STOPPED|TERMS|DUE#analytics)(#| )/.test(
        placeOf(row),
      ),
  );

/** Annotations with which a reporter says that a rule of the project matched the test. */
const markedIn = ({ projectId }: Stage) => ({
  annotations: marksOf({ actionId: `${projectId}${'0'.repeat(18)}`, type: 'quarantine' }),
});

async function announce(
  stage: Stage,
  recordId: string,
  body: object,
  content?: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const answer = await stage.api.post(`@/artifacts/test-record/${recordId}`, { attemptId: 0, ...body });
  expect(answer).toMatchObject({ status: 200 });
  if (!content) return;
  const headers = { 'content-type': Object.entries(body).find(([name]) => name === 'contentType')?.[1] };
  expect((await fetch(answer.body.uploadUrl, { method: 'PUT', body: content, headers })).status).toBe(200);
}

/** Records a complete run with an analyzed trace, a screenshot, and a video that was never uploaded. */
async function streamed(stage: Stage): Promise<string> {
  const { runId, records, instances } = await recordRun(
    stage,
    { retail: { tests: { [CART]: failed(markedIn(stage)), [TAX]: flaky(markedIn(stage)) } } },
    {
      ciBuildId: 'streamed',
      ci: { params: { githubRunId: '812', githubRunAttempt: '1' } },
      commit: { ...COMMIT, ghaEventData: { htmlUrl: 'https://git.example.com/shop/pull/7', prTitle: 'Round' } },
    },
  );
  const recordId = records[`retail ${CART}`] ?? '';
  const zip = { artifactId: 't', type: 'trace', name: 'trace', contentType: 'application/zip' };
  await announce(
    stage,
    recordId,
    zip,
    new Uint8Array(await readFile(new URL('../samples/traces/trace.zip', import.meta.url))),
  );
  const picture = { artifactId: 's', type: 'screenshot', name: 'end', contentType: 'image/png' };
  await announce(stage, recordId, picture, new Uint8Array(100));
  await announce(stage, recordId, { artifactId: 'v', type: 'video', name: 'video', contentType: 'video/webm' });
  const path = `/instances/${instances['retail cart.spec.ts']}`;
  const sizes = async () => {
    const { playwrightTraces, screenshots } = (await stage.api.get(path)).body.data.results;
    return [...playwrightTraces, ...screenshots].filter(({ bytes }) => bytes !== null).length;
  };
  await expect.poll(sizes).toBe(2);
  const analyses = async () => (await rowsOfRuns(stage)).filter((row) => kindOf(row) === 'trace analysis').length;
  await expect.poll(analyses).toBe(1);
  return runId;
}

async function uploaded(stage: Stage): Promise<string> {
  const artifacts = [{ path: 'out/a.txt', type: 'attachment', contentType: 'text/plain', name: 'a' }];
  const sent = [
    batchInstance('retail', 'cart.spec.ts', { [CART]: failed() }, { artifacts }),
    batchInstance('retail', 'tax.spec.ts', { [TAX]: skipped(markedIn(stage)) }),
    // A spec file without results is left out, which is a problem of the run.
    { ...batchInstance('retail', 'left-out.spec.ts', {}), results: null },
  ];
  return (await upload(stage, SUITE, sent, { ciBuildId: 'uploaded' })).runId;
}

/** Records a run in progress, in which one test failed, was reset, and runs again. */
async function reset(stage: Stage): Promise<string> {
  const run = await startRun(stage, SUITE, { ciBuildId: 'reset', machineId: 'machine00001' });
  const claimed = await claim(stage, run, 'cart.spec.ts');
  const recordId = await createRecord(stage, claimed, CART, failed());
  await announce(stage, recordId, { artifactId: 'x', type: 'attachment', name: 'x', contentType: 'text/plain' });
  const again = await stage.api.put(`/runs/${run.runId}/reset`, { machineId: ['machine00001'] });
  expect(again).toMatchObject({ status: 200 });
  await createRecord(stage, await claim(stage, run, 'cart.spec.ts'), CART, running());
  return run.runId;
}

/** Records a run whose only machine has taken an orchestration task. */
async function orchestrated(stage: Stage): Promise<string> {
  const session = await startSession(stage, SUITE, { ciBuildId: 'orchestrated' });
  expect(await takeTask(stage, session)).toMatchObject({ batch: { groupId: 'retail' } });
  return session.runId;
}

/** Records a complete run with the protocol of our own reporter. */
const live = (stage: Stage): Promise<string> => recordLive(stage, { [CART]: failed() }, { ciBuildId: 'live' });

/** Records two tries of a build. */
async function triedAgain(stage: Stage): Promise<string[]> {
  const send = (ciBuildId: string, attempt: string) =>
    startRun(stage, SUITE, { ciBuildId, ci: { params: { githubRunId: '813', githubRunAttempt: attempt } } });
  const [first, second] = [await send('tried-813-1', '1'), await send('tried-813-2', '2')];
  return [first.runId, second.runId];
}

async function cancelled(stage: Stage): Promise<string> {
  const run = await startRun(stage, SUITE, { ciBuildId: 'cancelled' });
  await createRecord(stage, await claim(stage, run, 'cart.spec.ts'), CART, running());
  expect((await stage.api.put(`/runs/${run.runId}/cancel`, undefined)).status).toBe(200);
  return run.runId;
}

/** Records a run that timed out while a test was running. Its timeout is shorter than that of the other runs. */
async function timedOut(stage: Stage): Promise<string> {
  const { services, organizationId, projectId } = stage;
  const settings = { inactivityTimeoutSeconds: 180 };
  await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
  const run = await startRun(stage, SUITE, { ciBuildId: 'timed-out' });
  await createRecord(stage, await claim(stage, run, 'cart.spec.ts'), CART, running());
  clock.advance(181_000);
  await stage.runSchedule('timeOutRuns');
  expect((await stage.api.get(`/runs/${run.runId}`)).body.data.completionState).toBe('TIMEOUT');
  return run.runId;
}

type Recording = (stage: Stage) => Promise<string | string[]>;
export const WITH_FILES: readonly Recording[] = [streamed, uploaded, reset];
const EVERY: readonly Recording[] = [...WITH_FILES, orchestrated, live, triedAgain, cancelled, timedOut];

export async function recordAll(stage: Stage, runs = EVERY): Promise<string[]> {
  const all: string[] = [];
  for (const record of runs) all.push(...[await record(stage)].flat());
  await stage.runSchedule('mergeAnalytics');
  return all;
}
