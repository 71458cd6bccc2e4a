/** §5 The only way to write a change with its audit record: both in one transaction. */
import type { AuditName, OrganizationAction } from '#shared/access/actions.ts';
import { type Actor, actorName } from '#shared/access/actor.ts';
import { requirePermission } from '#shared/access/may.ts';
import { conflict } from '#shared/engine/errors.ts';
import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';
import { backOff } from '#shared/engine/table/back-off.ts';
import { TABLE_LIMITS } from '#shared/engine/table/limits.ts';
import { checked, put, type Write } from '#shared/engine/table/writes.ts';
import { type AuditRecord, auditRecords } from '#shared/model/organizations/audit-record.ts';
import type { CoreServices } from '#shared/services.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { onlyOnce, type Submission } from './only-once.ts';
import { authorizeChange, type OrganizationRequest, type Standing } from './standing.ts';

/** The part of an audit record that depends on the change. */
export interface AuditEntry<Name extends string = AuditName> {
  readonly action: Name;
  /** The id of the changed thing. */
  readonly subject: string;
  /**
   * The name of the changed thing, shortened to one visible line. Absent if the subject is a person or an e-mail
   * address.
   */
  readonly label?: string;
  /** The details of the change. Must not contain a secret. */
  readonly detail: string;
}

interface Unchanged<Result> {
  readonly result: Result;
}

interface Changed<Result, Entry> extends Unchanged<Result> {
  readonly writes: readonly Write[];
  readonly record: Entry | readonly Entry[];
}

type Planned<Result, Entry> = Changed<Result, Entry> | Unchanged<Result>;
type Awaitable<Value> = Promise<Value> | Value;

/** Makes a change for which the actor's role in the organization does not matter. */
export function change<Name extends OrganizationAction, Result>(
  services: CoreServices,
  request: Submission & { readonly action: Name },
  plan: () => Awaitable<Planned<Result, AuditEntry<AuditName<Name>> & { readonly organizationId: string }>>,
): Promise<Result> {
  const { actor, action } = request;
  requirePermission(actor, action);
  return untilWritten(services, request, async () => audited(services, actor, await plan()));
}

/**
 * Makes a change that needs a role. Reads the actor's role anew for each attempt, and makes it a condition of the
 * transaction.
 */
export function changeOrganization<Name extends OrganizationAction, Result>(
  services: CoreServices,
  request: OrganizationRequest & { readonly action: Name },
  plan: (standing: Standing) => Awaitable<Planned<Result, AuditEntry<AuditName<Name>>>>,
): Promise<Result> {
  const { organizationId, actor, action } = request;
  return untilWritten(services, request, async () => {
    const standing = await authorizeChange(services, request, action);
    const planned = await plan(standing);
    if (!('writes' in planned)) return audited(services, actor, planned);
    const { result, writes, record } = planned;
    return audited(services, actor, {
      result,
      writes: checked(standing.checks, writes),
      record: [record].flat().map((entry) => ({ ...entry, organizationId })),
    });
  });
}

/**
 * Plans and writes a change. After a concurrent change, plans again on the basis of the current state, which may be a
 * reason to refuse.
 */
async function untilWritten<Result>(
  services: CoreServices,
  submission: Submission,
  plan: () => Promise<{ readonly result: Result; readonly writes: readonly Write[] }>,
): Promise<Result> {
  for (let attempt = 0; attempt < TABLE_LIMITS.optimisticAttempts; attempt += 1) {
    await backOff(attempt);
    const once = await onlyOnce(services, submission);
    const { result, writes } = await plan();
    if (writes.length === 0 || (await services.table.transact([...writes, ...once]))) return result;
  }
  throw conflict('This');
}

function audited<Result>(
  services: CoreServices,
  actor: Actor,
  planned: Planned<Result, Named>,
): { readonly result: Result; readonly writes: readonly Write[] } {
  const { result } = planned;
  if (!('writes' in planned)) return { result, writes: [] };
  const { record, writes } = planned;
  return { result, writes: [...writes, ...[record].flat().map((entry) => auditWrite(services, actor, entry))] };
}

type Named = AuditEntry<string> & Pick<AuditRecord, 'organizationId'>;

/**
 * The write of an audit record for a change that takes several transactions: put it into each of them, so that the
 * first one stores the record.
 */
export function auditWrite(
  { now, randomId }: Pick<CoreServices, 'now' | 'randomId'>,
  actor: Actor,
  { label, detail, ...entry }: Named,
): Write {
  return put(auditRecords, {
    ...entry,
    ...(label === undefined
      ? {}
      : { label: beginningOf(visibleLine(label), ORGANIZATION_LIMITS.auditLabelCharacters) }),
    detail: visibleLine(detail),
    actor: actorName(actor),
    at: now(),
    auditId: randomId(ORGANIZATION_LIMITS.auditIdCharacters),
  });
}
