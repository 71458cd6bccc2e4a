/**
 * `npm run soak` simulates reporters, scripts, agents and strangers who use the service of `npm start` at the same
 * time. With `--link <sign-in link>`, a person opens pages, too. The test fails if an answer has an unexpected status.
 * `--minutes 10` sets the duration. With `--poison`, the second half adds a hostile user, who sends files and results
 * that once made the service hang. The test then also fails if the other users wait more than three times as long as in
 * the first half.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { printError, printLine } from '#infra/cli/terminal/terminal.ts';
import { readLocal } from '../demo/local-service.ts';
import { poisoner } from './poisoner.ts';
import { Counts, senderTo, Unexpected } from './sender.ts';
import { type Place, person, USERS, type User } from './users.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    link: { type: 'string' },
    poison: { type: 'boolean', default: false },
  },
});

const MINUTE_MILLISECONDS = 60_000;
/** The pause of a user between two rounds of requests, so that a laptop stays usable. */
const PAUSE_MILLISECONDS = 200;
/** The number of users of each kind. */
const EACH = 2;
const POISON_PAUSE_MILLISECONDS = 5000;
/** The maximum factor by which the waiting times of other users may grow while the hostile user is active. */
const MOST_TIMES_AS_LONG = 3;

const local = await readLocal();
const place: Place = {
  projectId: local.projects[0].projectId,
  organizationId: local.organizationId,
  readWrite: local.apiKeys.readWrite,
  readOnly: local.apiKeys.readOnly,
};
const origin = new URL(local.baseUrl).origin;
const counts = new Counts();
const users: readonly User[] = [...Object.values(USERS), ...(values.link ? [person(await signIn(values.link))] : [])];
const until = Date.now() + Number(values.minutes) * MINUTE_MILLISECONDS;
const poisonFrom = Date.now() + (Number(values.minutes) * MINUTE_MILLISECONDS) / 2;
const partNow = () => (values.poison && Date.now() >= poisonFrom ? 'with poison' : 'calm');
if (!values.link)
  printLine(
    'No pages are opened, because --link <sign-in link> is missing. Create a link with: npm run admin -- accounts link --email <address>',
  );

await Promise.all([
  ...users.flatMap((user) => Array.from({ length: EACH }, () => turns(user))),
  ...(values.poison ? [poison()] : []),
  progress(),
]);
report();

async function turns(user: User): Promise<void> {
  const send = senderTo(origin, counts, partNow);
  for (let turn = 0; Date.now() < until; turn += 1) {
    await user(send, place, turn).catch((error: unknown) => {
      if (!(error instanceof Unexpected)) throw error;
    });
    await wait(PAUSE_MILLISECONDS);
  }
}

async function poison(): Promise<void> {
  const send = senderTo(origin, counts, () => 'poison itself');
  await wait(Math.max(0, poisonFrom - Date.now()));
  for (let turn = 0; Date.now() < until; turn += 1) {
    await poisoner(send, place, turn).catch((error: unknown) => {
      if (!(error instanceof Unexpected)) throw error;
    });
    await wait(POISON_PAUSE_MILLISECONDS);
  }
}

async function progress(): Promise<void> {
  while (Date.now() < until) {
    await wait(Math.min(MINUTE_MILLISECONDS, Math.max(0, until - Date.now())));
    printLine(`${counts.total} requests, ${counts.unexpected.length} unexpected`);
  }
}

function report(): void {
  const rows = [...counts.expected].sort(([one], [other]) => one - other);
  for (const [status, count] of rows) printLine(`${status}  ${count}`);
  printLine(`${counts.total} requests, ${counts.unexpected.length} with an unexpected status`);
  const waits = new Map([...counts.times].map(([part, times]) => [part, quantileOf(times, 0.99)]));
  for (const [part, times] of counts.times)
    printLine(`${part}: ${times.length} answers, p50 ${quantileOf(times, 0.5)} ms, p99 ${waits.get(part)} ms`);
  const ratio = (waits.get('with poison') ?? 0) / (waits.get('calm') ?? 1);
  if (values.poison)
    printLine(`p99 of the other users was ${ratio.toFixed(2)} times as long with the hostile user as without`);
  if (values.poison && ratio > MOST_TIMES_AS_LONG) process.exitCode = 1;
  for (const line of counts.unexpected.slice(0, 20)) printError(line);
  if (counts.unexpected.length > 0) process.exitCode = 1;
}

function quantileOf(times: readonly number[], share: number): number {
  return Math.round(times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? 0);
}

/** Opens a sign-in link, and returns the session cookie. */
async function signIn(link: string): Promise<string> {
  const { origin: own, hash } = new URL(link);
  const response = await fetch(`${own}/sign-in/link`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ code: hash.slice(1) }),
  });
  const [cookie] = response.headers.getSetCookie();
  if (!cookie)
    throw new Error(
      'The sign-in link was used or has expired. Create another one with: npm run admin -- accounts link --email <address>',
    );
  return cookie.split(';')[0] ?? '';
}
