/** Measures the pages that people open: bytes, requests, reads, and time relative to the operation that tells the same. */
import { gzipSync } from 'node:zlib';
import { OPERATOR } from '#shared/access/actor.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { addMember } from '#shared/organizations/members.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { cookieOf, type Visitor, visitor } from '#test/harness/visitor.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { startOpenRun } from './live-progress.ts';
import { median } from './medians.ts';
import { tripsOf } from './reading.ts';
import { upload } from './recording.ts';
import { suiteOf } from './suite.ts';

/** A page lists this many spec files. One test in 25 fails. */
const SPECS = 50;
const TESTS_PER_SPEC = 5;
const ROUNDS = 60;
const SWEEP_MILLISECONDS = 60_000;

const kilobytes = (bytes: number): number => bytes / 1000;
const zipped = (text: string): number => kilobytes(gzipSync(text).length);

export async function measurePages(service: BenchService): Promise<Measurement[]> {
  const person = await signedIn(service);
  const runId = await upload(service, 'pages', suiteOf({ specs: SPECS, testsPerSpec: TESTS_PER_SPEC }));
  const open = await startOpenRun(service);
  const project = `/${service.organizationId}/${service.projectId}`;
  const page = `${project}/runs/${runId}`;
  const { result: shown, cost } = await service.counted(() => person.get(page));
  if (shown.status !== 200) throw new Error(`${page} was answered with ${shown.status}`);
  const poll = await service.counted(() => person.get(`${project}/runs/${open}/live`));
  const feed = await service.counted(() => person.get(`${project}/runs`));
  await sweepAnalytics(service.services, { remainingMilliseconds: () => SWEEP_MILLISECONDS });
  const explorer = await service.counted(() => person.get(`${project}/tests?min_executions=0`));
  if (!explorer.result.text.includes(`of ${SPECS * TESTS_PER_SPEC}`)) throw new Error('The explorer shows no tests');
  return [
    { name: 'htmlKilobytes', measured: zipped(shown.html), note: `${SPECS} spec files, 10 failures` },
    { name: 'htmlRawKilobytes', measured: kilobytes(Buffer.byteLength(shown.html)) },
    ...(await measureAssets(person, shown.html)),
    { name: 'runPageUnits', measured: cost.readUnits, note: tripsOf(cost) },
    { name: 'feedPageUnits', measured: feed.cost.readUnits, note: tripsOf(feed.cost) },
    { name: 'explorerPageUnits', measured: explorer.cost.readUnits, note: tripsOf(explorer.cost) },
    { name: 'pollUnits', measured: poll.cost.readUnits, note: `${tripsOf(poll.cost)}, with session and role` },
    { name: 'pageTimes', measured: await timesOfSibling(service, person, { page, runId }) },
  ];
}

/** The files that a page makes a browser load on its first visit. */
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

/** The time of the run page divided by that of the two operations that tell the same, in alternating requests. */
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

async function signedIn({ services, origin, organizationId }: BenchService): Promise<Visitor> {
  const email = 'ada@example.com';
  const { accountId } = await createAccount(services, { email, name: 'Ada' });
  await addMember(services, { organizationId, accountId, role: 'admin', actor: OPERATOR });
  const { secret } = await createSignInLink(services, { actor: OPERATOR, email });
  return visitor(origin, cookieOf(await visitor(origin).post('/sign-in/link', { code: secret })));
}
