/**
 * Codes with which people confirm who they are where they have no passkey: a person creates one in another browser in
 * which they are signed in, or an Admin creates one for them. A code confirms a session that exists and cannot start
 * one, so that an Admin never acts as somebody else.
 */
import { randomInt } from 'node:crypto';
import type { Person } from '#shared/access/actor.ts';
import { hashToken, isSameHash } from '#shared/access/token.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { mergeChecks, put, removeWhen } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import {
  getMembershipsSpan,
  getMembersSpan,
  memberships,
  membershipsOfAccount,
} from '#shared/model/organizations/membership.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { change, changeOrganization } from '#shared/organizations/change.ts';
import { readMembership } from '#shared/organizations/membership-rows.ts';
import { makeAccountRecords } from '#shared/organizations/records-of-account.ts';
import type { OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import { codeNotUsable, notOnlyYourMember } from './errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { type NewSession, renewSession } from './sessions.ts';

/** Without vowels, and without characters that look alike. */
const CHARACTERS = '23456789BCDFGHJKMNPQRSTVWXZ';
const { codeCharacters, codeMilliseconds, codeTries } = SIGN_IN_LIMITS;

export interface CreatedCode {
  /** In two groups, such as `7KQX-2MPT`. */
  readonly code: string;
  /** In epoch milliseconds. */
  readonly validUntil: number;
}

/** Creates a code with which the person confirms another browser. It replaces an earlier code of the account. */
export const createOwnCode = (services: CoreServices, { actor }: { readonly actor: Person }): Promise<CreatedCode> =>
  change(services, { actor, action: 'accounts:createCode' }, async () => {
    const { created, write } = makeCode(services, actor.accountId);
    const record = await makeAccountRecords(services, actor, {
      action: 'confirmation code created',
      detail: 'for themselves',
    });
    return { result: created, writes: [write], record };
  });

/**
 * Creates a code for a member whom the Admin knows to be at the other end. Refused if the person also belongs to an
 * organization in which the Admin is none, because a confirmed session is confirmed in all of them.
 */
export const createCodeForMember = (
  services: CoreServices,
  request: OrganizationRequest & { readonly actor: Person; readonly accountId: string },
): Promise<CreatedCode & Pick<Account, 'name'>> =>
  changeOrganization(services, { ...request, action: 'members:confirm' }, async () => {
    const { actor, accountId } = request;
    await readMembership(services, request);
    const account = (await services.table.get(accounts, request, { consistent: true })) ?? refuse(notFound('Account'));
    const admins = await listAdminIds(services, { accountId });
    if (!admins.has(actor.accountId)) throw notOnlyYourMember();
    const { created, write } = makeCode(services, accountId);
    const record = { action: 'confirmation code created', subject: accountId, detail: 'by an Admin' } as const;
    return { result: { ...created, name: account.name }, writes: [write], record };
  });

function makeCode({ now }: Pick<CoreServices, 'now'>, accountId: string) {
  const text = Array.from({ length: codeCharacters }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join('');
  const validUntil = now() + codeMilliseconds;
  const expiresAt = Math.floor(validUntil / 1000);
  const code = `${text.slice(0, codeCharacters / 2)}-${text.slice(codeCharacters / 2)}`;
  return {
    created: { code, validUntil },
    write: put(confirmationCodes, { accountId, hash: hashCode(text), tries: 0, expiresAt }),
  };
}

const hashCode = (code: string): string => hashToken(code.toUpperCase().replaceAll(/[^0-9A-Z]/g, ''));

/**
 * Confirms the session, and renews its secret. Each call counts as a try before the code is compared, so that parallel
 * guesses are limited, too. The error is the same for all codes that do not work.
 */
export async function confirmByCode(
  services: CoreServices,
  { session, code }: { readonly session: Session; readonly code: string },
): Promise<NewSession> {
  const { table, now } = services;
  const { accountId } = session;
  const tryUpdate = await table.update(
    confirmationCodes,
    { accountId },
    { add: [['tries', 1]] },
    { path: 'tries', atMost: codeTries - 1 },
  );
  const { item: storedCode } = tryUpdate;
  if (!tryUpdate.done || !storedCode || !isSameHash(storedCode.hash, hashCode(code))) throw codeNotUsable();
  return retryOptimistically('session', async () => {
    const renewedSession = await renewSession(services, session, { authenticatedAt: now() });
    const isOpen = await table.get(confirmationCodes, { accountId }, { consistent: true });
    if (isOpen?.hash !== storedCode.hash) throw codeNotUsable();
    const codeRemoval = removeWhen(confirmationCodes, storedCode, { path: 'hash', equals: storedCode.hash });
    const writes = mergeChecks(renewedSession.checks, [codeRemoval, ...renewedSession.writes]);
    return (await table.transact(writes)) ? renewedSession : AGAIN;
  });
}

/** The Admins who may create a code for the person, sorted by name: those of all of their organizations. */
export async function listConfirmingAdmins(
  services: WithTable,
  person: Pick<Account, 'accountId'>,
): Promise<Account[]> {
  const ids = await listAdminIds(services, person);
  const others = [...ids].filter((accountId) => accountId !== person.accountId);
  const otherAdmins = await services.table.getMany(
    accounts,
    others.map((accountId) => ({ accountId })),
  );
  return otherAdmins.flatMap((account) => account ?? []).sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

async function listAdminIds({ table }: WithTable, person: Pick<Account, 'accountId'>): Promise<Set<string>> {
  const ownMemberships = await table.queryAll(membershipsOfAccount, getMembershipsSpan(person), { consistent: true });
  const admins = await Promise.all(
    ownMemberships.map(async ({ organizationId }) => {
      const members = await table.queryAll(memberships, getMembersSpan({ organizationId }), { consistent: true });
      return new Set(members.flatMap(({ role, accountId }) => (role === 'admin' ? accountId : [])));
    }),
  );
  const [first = new Set<string>(), ...rest] = admins;
  return new Set([...first].filter((accountId) => rest.every((ids) => ids.has(accountId))));
}
