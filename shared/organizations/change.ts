/** §5 Writes a change and its audit record in one transaction. All audited changes go through this file. */
import type { AuditName, OrganizationAction } from '#shared/access/actions.ts';
import { type Actor, formatActorName } from '#shared/access/actor.ts';
import { requirePermission } from '#shared/access/may.ts';
import { conflict } from '#shared/engine/errors.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { waitBeforeAttempt } from '#shared/engine/table/back-off.ts';
import { TABLE_LIMITS } from '#shared/engine/table/limits.ts';
import { mergeChecks, put, type Write } from '#shared/engine/table/writes.ts';
import { checkInUse, findProjectInUse } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type AuditRecord, auditRecords } from '#shared/model/organizations/audit-record.ts';
import type { CoreServices } from '#shared/services.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { countNews } from './news.ts';
import { ensureFirstSubmission, type Submission } from './only-once.ts';
import { authorizeChange, type OrganizationRequest, type Standing } from './standing.ts';

/** The part of an audit record that depends on the change. */
export interface AuditEntry<Name extends string = AuditName> {
  readonly action: Name;
  /** The id of the person, project, credential or other object that was changed. */
  readonly subject: string;
  /**
   * The name of the object, stored as one short, visible line. Absent if the subject is a person or an email address.
   */
  readonly label?: string;
  /** The details of the change. Must not contain a secret. */
  readonly detail: string;
}

/** A plan without writes changes nothing, for example because the object already has the requested values. */
export type ChangePlan<Result, Entry> =
  | { readonly result: Result; readonly writes?: undefined }
  | {
      readonly result: Result;
      readonly writes: readonly Write[];
      readonly record: Entry | readonly Entry[];
      /**
       * The project that gets something or a changed setting. If it is deleted, even meanwhile, the change is refused
       * like that of an unknown project. Absent for changes that only take something away.
       */
      readonly inProject?: ProjectKey | undefined;
    };
export type Awaitable<Value> = Promise<Value> | Value;

/** Makes a change that does not depend on the actor's role in the organization. */
export function change<Name extends OrganizationAction, Result>(
  services: CoreServices,
  request: Submission & { readonly action: Name },
  plan: () => Awaitable<ChangePlan<Result, AuditEntry<AuditName<Name>> & { readonly organizationId: string }>>,
): Promise<Result> {
  const { actor, action } = request;
  requirePermission(actor, action);
  return retryUntilWritten(
    services,
    request,
    async () => (await findRepeated<Result>(services, request)) ?? addAuditRecords(services, actor, await plan()),
  );
}

/**
 * Requires a role. Each attempt reads the actor's current role and makes it a condition of the transaction. `auditAs`
 * is who really makes the change, if the operator makes it for the actor. The audit record then names the operator.
 */
export function changeOrganization<Name extends OrganizationAction, Result>(
  services: CoreServices,
  request: OrganizationRequest & { readonly action: Name; readonly auditAs?: Actor | undefined },
  plan: (standing: Standing) => Awaitable<ChangePlan<Result, AuditEntry<AuditName<Name>>>>,
): Promise<Result> {
  const { organizationId, actor, action } = request;
  return retryUntilWritten(services, request, async () => {
    const standing = await authorizeChange(services, request, action);
    const earlierChange = await findRepeated<Result>(services, request);
    if (earlierChange) return earlierChange;
    const changePlan = await plan(standing);
    const author = request.auditAs ?? actor;
    if (changePlan.writes === undefined) return addAuditRecords(services, author, changePlan);
    const { writes, record } = changePlan;
    return addAuditRecords(services, author, {
      ...changePlan,
      writes: mergeChecks(standing.checks, writes),
      record: [record].flat().map((entry) => ({ ...entry, organizationId })),
    });
  });
}

/** If a concurrent change interferes, plans again, and throws if the current state no longer allows the change. */
async function retryUntilWritten<Result>(
  services: CoreServices,
  submission: Submission,
  plan: () => Promise<PreparedChange<Result>>,
): Promise<Result> {
  const { expects = [] } = submission;
  for (let attempt = 0; attempt < TABLE_LIMITS.optimisticAttempts; attempt += 1) {
    await waitBeforeAttempt(attempt);
    const once = await ensureFirstSubmission(services, submission);
    const { result, writes, inProject } = await plan();
    if (writes.length === 0) return result;
    const resultWrites = submission.repetition ? [submission.repetition.plan(services, result)] : [];
    if (await services.table.transact(mergeChecks(expects, [...writes, ...once, ...resultWrites]))) return result;
    if (inProject) await findProjectInUse(services, inProject);
    // If the request expects something that is no longer true, another attempt cannot succeed.
    if (expects.length > 0 && !(await services.table.transact(expects))) break;
  }
  throw conflict('The data');
}

/**
 * The result of the same request before. Writes nothing. The cast is safe, because the row is of the same operation,
 * which stored a result of this type as JSON.
 */
async function findRepeated<Result>(
  services: CoreServices,
  { repetition }: Submission,
): Promise<PreparedChange<Result> | undefined> {
  const first = await repetition?.find(services);
  return first && { result: first.result as Result, writes: [] };
}

interface PreparedChange<Result> {
  readonly result: Result;
  readonly writes: readonly Write[];
  readonly inProject?: ProjectKey | undefined;
}

function addAuditRecords<Result>(
  services: CoreServices,
  actor: Actor,
  changePlan: ChangePlan<Result, OrganizationAuditEntry>,
): PreparedChange<Result> {
  const { result } = changePlan;
  if (changePlan.writes === undefined) return { result, writes: [] };
  const { record, writes, inProject } = changePlan;
  const entries = [record].flat();
  const auditWrites = entries.map((entry) => makeAuditWrite(services, actor, entry));
  const projectChecks = inProject ? [checkInUse(inProject)] : [];
  return { result, inProject, writes: mergeChecks(projectChecks, [...writes, ...auditWrites, ...countNews(entries)]) };
}

type OrganizationAuditEntry = AuditEntry<string> & Pick<AuditRecord, 'organizationId'>;

/** Add it to each transaction of a change that needs several: the first that succeeds stores the record. */
export function makeAuditWrite(
  { now, randomId }: Pick<CoreServices, 'now' | 'randomId'>,
  actor: Actor,
  { label, detail, ...entry }: OrganizationAuditEntry,
): Write {
  const shownLabel =
    label === undefined
      ? undefined
      : takeFirstCharacters(makeVisibleLine(label), ORGANIZATION_LIMITS.auditLabelCharacters);
  return put(auditRecords, {
    ...entry,
    label: shownLabel,
    detail: makeVisibleLine(detail),
    actor: formatActorName(actor),
    at: now(),
    auditId: randomId(ORGANIZATION_LIMITS.auditIdCharacters),
  });
}

/** For background jobs that notice that a receiver or a tracker does not work anymore. */
export const planFailureRecord = (
  services: Pick<CoreServices, 'now' | 'randomId'>,
  actor: Actor & { readonly kind: 'system' },
  entry: AuditEntry<AuditName<'integrations:fail'>> & Pick<AuditRecord, 'organizationId'>,
): Write[] => [makeAuditWrite(services, actor, entry), ...countNews([entry])];
