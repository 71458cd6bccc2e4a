/**
 * `npm run soak` uses the service of `npm start` like reporters, scripts, agents, a person and strangers at once. It fails if
 * an answer has an unexpected status. `--minutes 10` says how long.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { printError, printLine } from '#infra/cli/terminal.ts';
import { readLocal } from '../demo/local-service.ts';
import { Counts, senderTo, Unexpected } from './sender.ts';
import { type Place, person, USERS, type User } from './users.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, link: { type: 'string' } },
});

const MINUTE_MILLISECONDS = 60_000;
/** A user waits between two turns, so that a laptop stays usable. */
const PAUSE_MILLISECONDS = 200;
/** Users of each kind. */
const EACH = 2;

const local = await readLocal();
const place: Place = {
  ...{ projectId: local.projects[0].projectId, organizationId: local.organizationId },
  ...{ readWrite: local.apiKeys.readWrite, readOnly: local.apiKeys.readOnly },
};
const origin = new URL(local.baseUrl).origin;
const counts = new Counts();
const users: readonly User[] = [...Object.values(USERS), ...(values.link ? [person(await signIn(values.link))] : [])];
const until = Date.now() + Number(values.minutes) * MINUTE_MILLISECONDS;
if (!values.link)
  printError('Without --link <sign-in link>, no person opens pages. npm run admin -- accounts link creates one.');

await Promise.all([...users.flatMap((user) => Array.from({ length: EACH }, () => turns(user))), progress()]);
report();

async function turns(user: User): Promise<void> {
  const send = senderTo(origin, counts);
  for (let turn = 0; Date.now() < until; turn += 1) {
    await user(send, place, turn).catch((error: unknown) => {
      if (!(error instanceof Unexpected)) throw error;
    });
    await wait(PAUSE_MILLISECONDS);
  }
}

async function progress(): Promise<void> {
  while (Date.now() < until) {
    await wait(Math.min(MINUTE_MILLISECONDS, Math.max(0, until - Date.now())));
    printError(`${counts.total} requests, ${counts.unexpected.length} unexpected`);
  }
}

function report(): void {
  const rows = [...counts.expected].sort(([one], [other]) => one - other);
  for (const [status, count] of rows) printLine(`${status}  ${count}`);
  printLine(`${counts.total} requests, ${counts.unexpected.length} with an unexpected status`);
  for (const line of counts.unexpected.slice(0, 20)) printError(line);
  if (counts.unexpected.length > 0) process.exitCode = 1;
}

/** The cookie of a session, which the link of a person begins. */
async function signIn(link: string): Promise<string> {
  const { origin: own, hash } = new URL(link);
  const response = await fetch(`${own}/sign-in/link`, {
    ...{ method: 'POST', redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin' } },
    body: new URLSearchParams({ code: hash.slice(1) }),
  });
  const [cookie] = response.headers.getSetCookie();
  if (!cookie) throw new Error('The sign-in link is used or has expired. npm run admin -- accounts link creates one');
  return cookie.split(';')[0] ?? '';
}
