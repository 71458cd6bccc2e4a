/**
 * Measures the pages that people open: bytes, requests, reads, and the time relative to the API operations with the
 * same data.
 */
import { gzipSync } from 'node:zlib';
import { OPERATOR } from '#shared/access/actor.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { showFile } from '#shared/ingest/show-file.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { deriveObjectName } from '#shared/model/results/artifact.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { addMember } from '#shared/organizations/members.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { cookieOf, type Visitor, visitor } from '#test/harness/visitor.ts';
import type { BenchService, Cost } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { MANY_SPECS, startOpenRecording, startOpenRun } from './live-progress.ts';
import { median } from './medians.ts';
import { tripsOf } from './reading.ts';
import { upload } from './recording.ts';
import { GROUP, type SuiteSpec, suiteOf } from './suite.ts';

const SPECS = 50;
const TESTS_PER_SPEC = 5;
/**
 * The number of failures, which is the maximum that the page of a run shows. Each failure has a different error, and
 * therefore its own strip of executions.
 */
const FAILED = 10;
const FLAKY = 2;
/** The number of earlier complete runs, which the strips of executions show. */
const EARLIER = 17;
/** The number of tests that failed only in the base run. */
const OTHERS = 5;
const ROUNDS = 60;
const SWEEP_MILLISECONDS = 60_000;

const kilobytes = (bytes: number): number => bytes / 1000;
export const zipped = (text: string): number => kilobytes(gzipSync(text).length);

/** Errors that differ only in numbers would have one cause, and share a strip. */
const spell = (number: number): string =>
  String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));

/**
 * A suite in which `FAILED` tests fail and `FLAKY` tests are flaky, each in a different spec file, beginning with the
 * spec file `first`.
 */
const suiteFrom = (first: number): SuiteSpec[] =>
  suiteOf({ specs: SPECS, testsPerSpec: TESTS_PER_SPEC }).map(({ spec, tests }, file) => ({
    spec,
    tests: tests.map((test, index) => {
      const turn = index === 0 ? file - first : -1;
      const outcome = turn < 0 || turn >= FAILED + FLAKY ? 'passed' : turn < FAILED ? 'failed' : 'flaky';
      return { ...test, outcome, error: `Error: order ${spell(test.number)} has no discount` };
    }),
  }));

/**
 * Records a run like those that people open: with a base run, new, known and fixed failures, history, screenshots and
 * traces.
 */
async function usualRun(service: BenchService): Promise<string> {
  for (let build = 0; build < EARLIER; build += 1) await upload(service, `earlier ${build}`, suiteFrom(0));
  const suite = suiteFrom(OTHERS);
  const runId = await upload(service, 'pages', suite);
  for (const { spec, tests } of suite)
    for (const { testId, outcome } of tests) if (outcome !== 'passed') await addFiles(service, { runId, spec, testId });
  return runId;
}

/** Adds an uploaded screenshot and an uploaded trace. */
async function addFiles(
  { services, organizationId }: BenchService,
  { runId, spec, testId }: { readonly runId: string; readonly spec: string; readonly testId: string },
): Promise<void> {
  const instanceId = deriveInstanceId({ runId, groupId: GROUP, spec });
  for (const [type, name, contentType] of [
    ['screenshot', 'test-failed-1.png', 'image/png'],
    ['trace', 'trace.zip', 'application/zip'],
  ] as const) {
    const own = { artifactId: `${testId} ${type}`, testId, expiry: NEVER };
    const file = { organizationId, instanceId, ...own, type, name, fileName: name, contentType };
    await showFile(services, { ...file, objectName: deriveObjectName(own), attempt: 1, createdAt: 0, bytes: 1000 });
  }
}

export async function measurePages(service: BenchService): Promise<Measurement[]> {
  const person = await signedIn(service);
  const runId = await usualRun(service);
  const open = await startOpenRun(service, SPECS);
  const larger = await startOpenRun(service, MANY_SPECS);
  const project = `/${service.organizationId}/${service.projectId}`;
  const page = `${project}/runs/${runId}`;
  const { result: shown, cost } = await service.counted(() => person.get(page));
  checkRun(shown, page);
  const poll = await service.counted(() => person.get(`${project}/runs/${open}/live`));
  const largePoll = await service.counted(() => person.get(`${project}/runs/${larger}/live`));
  const feed = await service.counted(() => person.get(`${project}/runs`));
  const recording = await startOpenRecording(service, SPECS);
  const recordingPoll = await service.counted(() => person.get(`${project}/runs/${recording}/live`));
  const watched = await person.get(`${project}/runs/${recording}`);
  if (!watched.text.includes(`${SPECS} of `)) throw new Error('The page does not show the batch');
  await sweepAnalytics(service.services, { remainingMilliseconds: () => SWEEP_MILLISECONDS });
  const explorer = await service.counted(() => person.get(`${project}/tests?min_executions=0`));
  if (!explorer.result.text.includes(`of ${SPECS * TESTS_PER_SPEC}`)) throw new Error('The explorer shows no tests');
  const overview = await service.counted(() => person.get(`/${service.organizationId}`));
  if (!overview.result.text.includes('Needs attention')) throw new Error('The overview names no failed test');
  const files = await person.get(`${project}/spec-files`);
  const file = files.links.find((link) => link.includes('/spec-files/')) ?? '';
  const specFile = await service.counted(() => person.get(file));
  if (!specFile.result.text.includes('Tests of this file')) throw new Error(`The page ${file} shows no spec file`);
  return [
    { name: 'htmlKilobytes', measured: zipped(shown.html), note: `${SPECS} spec files, ${FAILED} failures` },
    { name: 'htmlRawKilobytes', measured: kilobytes(Buffer.byteLength(shown.html)) },
    ...(await measureAssets(person, shown.html)),
    { name: 'runPageUnits', measured: cost.readUnits, note: `${tripsOf(cost)}, with a base and ${FAILED} strips` },
    { name: 'runPageTrips', measured: cost.trips },
    { name: 'overviewUnits', measured: overview.cost.readUnits, note: tripsOf(overview.cost) },
    { name: 'feedPageUnits', measured: feed.cost.readUnits, note: `${tripsOf(feed.cost)}, two of 20 runs are open` },
    { name: 'explorerPageUnits', measured: explorer.cost.readUnits, note: tripsOf(explorer.cost) },
    { name: 'specFilePageUnits', measured: specFile.cost.readUnits, note: tripsOf(specFile.cost) },
    { name: 'pollUnits', measured: poll.cost.readUnits, note: `${tripsOf(poll.cost)}, with session and role` },
    { name: 'recordingPollUnits', measured: recordingPoll.cost.readUnits, note: tripsOf(recordingPoll.cost) },
    { name: 'largePollUnits', measured: largePoll.cost.readUnits, note: tripsOf(largePoll.cost) },
    { name: 'pageTimes', measured: await timesOfSibling(service, person, { page, runId }) },
  ];
}

/** What a person costs who opens the page of a run, and whose browser polls that of a run in progress. */
export async function readerCosts(service: BenchService): Promise<{ readonly page: Cost; readonly poll: Cost }> {
  const person = await signedIn(service);
  const runId = await usualRun(service);
  const recording = await startOpenRecording(service, SPECS);
  const project = `/${service.organizationId}/${service.projectId}`;
  const page = await service.counted(() => person.get(`${project}/runs/${runId}`));
  checkRun(page.result, 'The page of a run');
  const poll = await service.counted(() => person.get(`${project}/runs/${recording}/live`));
  return { page: page.cost, poll: poll.cost };
}

function checkRun({ status, html, text }: Awaited<ReturnType<Visitor['get']>>, page: string): void {
  if (status !== 200) throw new Error(`${page} was answered with ${status}`);
  const counts = {
    strips: html.split('<ol class="strip"').length - 1,
    traces: text.split('Open trace').length - 1,
    fixed: /Fixed\s*(\d+) tests/.exec(text)?.[1],
  };
  const expected = { strips: FAILED, traces: FAILED, fixed: String(OTHERS) };
  if (JSON.stringify(counts) !== JSON.stringify(expected)) throw new Error(`${page} shows ${JSON.stringify(counts)}`);
}

/** Measures the files that a browser loads on the first visit of the page. */
async function measureAssets(person: Visitor, html: string): Promise<Measurement[]> {
  const paths = [
    ...new Set([...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js|svg))"/g)].map(([, path = '']) => path)),
  ];
  const files = await Promise.all(paths.map(async (path) => ({ path, text: (await person.get(path)).html })));
  const size = (type: string) =>
    files.filter(({ path }) => path.endsWith(type)).reduce((total, { text }) => total + zipped(text), 0);
  return [
    { name: 'styleKilobytes', measured: size('.css') },
    { name: 'scriptKilobytes', measured: size('.js') },
    { name: 'visitRequests', measured: 1 + paths.length, note: paths.length === 0 ? '' : 'page, style, script, icon' },
  ];
}

/**
 * Returns the time of the page of a run divided by the time of the two API operations that return the same data.
 * Requests alternate between page and API.
 */
async function timesOfSibling(
  { origin, recordKey }: BenchService,
  { cookie }: Visitor,
  { page, runId }: { readonly page: string; readonly runId: string },
): Promise<number> {
  const timed = async (path: string, headers: Readonly<Record<string, string>>) => {
    const before = performance.now();
    const answer = await fetch(origin + path, { headers });
    await answer.text();
    return performance.now() - before;
  };
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const authorization = `Bearer ${recordKey}`;
    const run = await timed(`/v1/runs/${runId}`, { authorization });
    const comparison = await timed(`/v1/runs/${runId}/comparison`, { authorization });
    ratios.push((await timed(page, { cookie })) / (run + comparison));
  }
  return median(ratios);
}

export async function signedIn({ services, origin, organizationId }: BenchService): Promise<Visitor> {
  const email = 'ada@example.com';
  const { accountId } = await createAccount(services, { email, name: 'Ada' });
  await addMember(services, { organizationId, accountId, role: 'admin', actor: OPERATOR });
  const { secret } = await createSignInLink(services, { actor: OPERATOR, email });
  return visitor(origin, cookieOf(await visitor(origin).post('/sign-in/link', { code: secret })));
}
