/** §5.3 Opens a share with its secret. The response is the same for every invalid secret. */
import { makePerson } from '#shared/access/actor.ts';
import { may } from '#shared/access/may.ts';
import { hashToken, isSecret } from '#shared/access/token.ts';
import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { isInUse } from '#shared/find-project.ts';
import { deriveTestKey, extractRunId } from '#shared/model/ids.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { type Share, type SharedObject, shares } from '#shared/model/organizations/share.ts';
import { runs } from '#shared/model/runs/run.ts';
import { getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import type { WithClock } from '#shared/services.ts';
import { SHARE_PREFIX } from './create-share.ts';
import { shareNotFound } from './errors.ts';

export interface OpenShare extends Share {
  /** Whether AI tools may read failures of this organization. */
  readonly aiMayRead: boolean;
  /** The name of the person who created the share. */
  readonly sharedBy: string;
  /** The run of the result, as outsiders may know it. */
  readonly run: {
    readonly projectName: string;
    /** The first line of the commit message. */
    readonly title: string | null;
    /** In epoch milliseconds. */
    readonly startedAt: number;
  };
}

/** Uses no cache, so that a revoked share stops working immediately. */
export async function readShare({ table, now }: WithClock, secret: string | undefined): Promise<OpenShare> {
  if (secret === undefined || !isSecret(SHARE_PREFIX, secret)) throw shareNotFound();
  const share = await table.get(shares, { hash: hashToken(secret) }, { consistent: true });
  if (!share || now() >= share.expiresAt * 1000) throw shareNotFound();
  const lookups = [
    makeLookup(organizations, share),
    makeLookup(memberships, share),
    makeLookup(accounts, share),
    makeLookup(runs, share),
    makeLookup(projects, share),
  ] as const;
  const rows = await table.getTogether(lookups, { consistent: true });
  const organization = rows.of(lookups[0]);
  const membership = rows.of(lookups[1]);
  const account = rows.of(lookups[2]);
  const run = rows.of(lookups[3]);
  const project = rows.of(lookups[4]);
  if (!organization || !membership || !account || !run || !isInUse(project)) throw shareNotFound();
  const { shareDays, aiMayRead } = getSharingSettings(organization);
  const mayStill =
    organization.deactivatedAt === undefined &&
    membership.startedAt <= share.createdAt &&
    may({ ...makePerson(membership), role: membership.role }, 'shares:write') &&
    now() < share.createdAt + shareDays * DAY_MILLISECONDS;
  if (!mayStill) throw shareNotFound();
  const title = run.commit.message?.split('\n', 1)[0] ?? null;
  const shownRun = { projectName: project.name, title, startedAt: run.createdAt };
  return { ...share, aiMayRead, sharedBy: account.name, run: shownRun };
}

/** Reads the share, and records that it was opened. */
export async function openShare(services: WithClock, secret: string | undefined): Promise<OpenShare> {
  const share = await readShare(services, secret);
  const changes = { add: [['opens', 1]], set: [['lastOpenedAt', services.now()]] } as const;
  const { done } = await services.table.update(shares, share, changes, PRESENT);
  if (!done) throw shareNotFound();
  return share;
}

/** The credential of a request that reads a share. The scheme is case-insensitive. */
export const parseShareSecret = (authorization: string | undefined): string | undefined =>
  /^bearer (\S{1,100})$/i.exec(authorization ?? '')?.[1];

interface AskedObject {
  readonly instance_id?: string | undefined;
  readonly test_id?: string | undefined;
  readonly attempt?: number | undefined;
}

/** If the share does not include the object, throws the same 404 as for an unknown share. */
export function requireObjectWithin(share: SharedObject, request: AskedObject): SharedObject {
  const { runId } = share;
  const instanceId = request.instance_id ?? share.instanceId;
  const testId = request.test_id ?? share.testId;
  const isInside =
    (instanceId === undefined || extractRunId(instanceId) === runId) &&
    (share.instanceId ?? instanceId) === instanceId &&
    (share.testId ?? testId) === testId &&
    (testId === undefined || instanceId !== undefined);
  if (!isInside) throw shareNotFound();
  return { runId, instanceId, testId, attempt: request.attempt ?? share.attempt };
}

/** Throws 404 for a file that the share does not include. The object name of a file begins with the key of its test. */
export function requireFileWithin(
  share: SharedObject,
  { instanceId, objectName }: { readonly instanceId: string; readonly objectName: string },
): void {
  requireObjectWithin(share, { instance_id: instanceId });
  if (share.testId !== undefined && !objectName.startsWith(deriveTestKey(share.testId))) throw shareNotFound();
}
