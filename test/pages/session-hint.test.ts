import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { OPERATOR } from '#shared/access/actor.ts';
import { removeMember } from '#shared/organizations/members.ts';
import { signedInWithPasskey } from '#test/harness/passkey.ts';
import { member } from '#test/harness/people.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { logLines, service } from '#test/harness/service.ts';
import { secretOf, signedIn, signIn, type Visitor, visitor } from '#test/harness/visitor.ts';

const Logged = z.looseObject({ operationId: z.string(), trips: z.number() });

/** Returns the trips to the table that this request takes. */
async function countTrips(person: Visitor, path: string): Promise<number> {
  logLines.length = 0;
  expect((await person.get(path)).status).toBe(200);
  return logLines.flatMap((line) => Logged.safeParse(JSON.parse(line)).data ?? []).at(-1)?.trips ?? 0;
}

async function stage() {
  const here = await service();
  const { runId } = await uploadRun(here, { 'a.spec.ts > pays': passed() });
  const place = `/${here.organizationId}/${here.projectId}`;
  const withHint = (person: Pick<Visitor, 'cookie'>, hint: string) =>
    visitor(here.origin, `__Host-rundown-session=${secretOf(person)}${hint}`);
  return { ...here, runPage: `${place}/runs/${runId}`, runs: `${place}/runs`, withHint };
}

describe('The hint in the cookie of a session', () => {
  test.each([
    ['a link', false],
    ['a passkey', true],
  ])('saves a round trip on each page after a sign-in with %s', async (_, byPasskey) => {
    const here = await stage();
    const account = await member(here, 'member');
    const person = byPasskey ? (await signedInWithPasskey(here, account)).person : await signIn(here, account);
    for (const path of ['/account', here.runs, here.runPage])
      expect((await countTrips(here.withHint(person, ''), path)) - (await countTrips(person, path))).toBe(1);
  });

  test('never changes what a person may see, whatever it says', async () => {
    const here = await stage();
    const other = await service();
    const stranger = await member(other, 'admin');
    const admin = await member(here, 'admin');
    const guest = await signedIn(here, 'guest');
    const owner = await signedInWithPasskey(here, admin);
    const hintOf = ({ cookie }: Pick<Visitor, 'cookie'>) => cookie.slice(cookie.indexOf('.'));
    const hints = [
      '',
      '.',
      `.${admin.accountId}`,
      `.${stranger.accountId}`,
      hintOf(owner.person),
      hintOf(guest).replace(/$/, '.passkey.0'),
      hintOf(guest).replace(/$/, `.company.${'a'.repeat(64)}`),
      hintOf(guest).replace(/$/, `.provider.${'a'.repeat(64)}`),
      `.${'x'.repeat(2000)}`,
      '.%00#.passkey.__proto__',
    ];
    const settings = `/${here.organizationId}/settings/members`;
    const pages = [
      here.runPage,
      settings,
      `/${other.organizationId}`,
      `/${other.organizationId}/${other.projectId}/runs`,
    ];
    const expected = await Promise.all(pages.map(async (path) => (await guest.get(path)).status));
    expect(expected[0]).toBe(200);
    expect(expected.slice(2)).toEqual([404, 404]);
    for (const hint of hints) {
      const person = here.withHint(guest, hint);
      const seen = await Promise.all(pages.map(async (path) => (await person.get(path)).status));
      expect(seen, hint).toEqual(expected);
    }
  });

  test('opens nothing after the session or the membership has ended, and no run of another project', async () => {
    const here = await stage();
    const foreign = await stage();
    const ended = await signedIn(here, 'admin');
    const leaver = await member(here, 'member');
    const left = await signIn(here, leaver);
    await removeMember(here.services, { ...leaver, organizationId: here.organizationId, actor: OPERATOR });
    const unknown = `${here.runs}/${'0'.repeat(16)}`;
    const foreignRun = `${here.runs}/${foreign.runPage.split('/').at(-1)}`;
    const present = await signedIn(here, 'admin');
    for (const path of [here.runPage, unknown]) expect((await left.get(path)).status).toBe(404);
    for (const path of [unknown, foreignRun]) expect((await present.get(path)).status).toBe(404);
    await ended.post('/sign-out');
    for (const path of [here.runPage, unknown]) expect((await ended.get(path)).status).toBe(303);
    const nobody = visitor(here.origin, present.cookie.replace(secretOf(present), secretOf(ended)));
    expect((await nobody.get(here.runPage)).status).toBe(303);
  });
});
