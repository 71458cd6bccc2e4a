/** Replaces a person in what belongs to an organization and to no project: invitations, the audit log, unsent events. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import type { DomainEvent } from '#shared/model/events/domain-event.ts';
import { getOutboxSpan, OUTBOX_SHARDS, outbox } from '#shared/model/events/outbox.ts';
import { type OutboxContent, packContent } from '#shared/model/events/outbox-content.ts';
import { outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { replaceAuthor } from '#shared/model/organizations/erasure.ts';
import { invitations } from '#shared/model/organizations/invitation.ts';
import { planInvitationRemoval } from '#shared/organizations/membership-rows.ts';
import { ERASURE_LIMITS } from './limits.ts';
import type { SearchedPerson } from './searched-person.ts';

/** An open invitation would keep the address, and bring the person back. */
export async function eraseInvitation({ table }: WithTable, person: SearchedPerson): Promise<undefined> {
  const key = { organizationId: person.organizationId, email: person.address };
  const invitation = await table.get(invitations, key, { consistent: true });
  if (invitation) await table.transact(planInvitationRemoval(invitation));
  return undefined;
}

/** Records name people by the ids of their accounts, but invitations by their address. Returns the next position. */
export async function eraseAuditRecords(
  { table }: WithTable,
  person: SearchedPerson,
  after: string | undefined,
): Promise<string | undefined> {
  const options = { limit: ERASURE_LIMITS.rowsPerPage, consistent: true, after };
  const { rows, lastRead } = await table.query(auditRecords, getAuditSpan(person), options);
  for (const { item } of rows) {
    const { subject, label, detail } = item;
    const texts = { subject, label, detail };
    const replaced = {
      subject: person.replaceAddress(subject),
      label: label && person.replaceAddress(label),
      detail: person.replaceAddress(detail),
    };
    if (JSON.stringify(texts) === JSON.stringify(replaced)) continue;
    await table.update(auditRecords, item, { set: toAssignments(replaced) }, PRESENT);
  }
  return lastRead;
}

/** Most events are sent within seconds. Those that could not be sent wait for the operator. */
export async function eraseUnsentEvents({ table }: WithTable, person: SearchedPerson): Promise<undefined> {
  const replaceIn = (content: OutboxContent): OutboxContent | undefined => {
    if (content.kind !== 'events') return undefined;
    const isAbout = (event: DomainEvent) =>
      'commit' in event && event.organizationId === person.organizationId && person.isAuthor(event.commit);
    if (!content.events.some(isAbout)) return undefined;
    const events = content.events.map((event) =>
      'commit' in event && isAbout(event)
        ? { ...event, commit: { ...event.commit, ...replaceAuthor(event.commit, person.pseudonym) } }
        : event,
    );
    return { kind: 'events', events };
  };
  for (let shard = 0; shard < OUTBOX_SHARDS; shard += 1) {
    for (const row of await table.queryAll(outbox, getOutboxSpan(shard, Number.MAX_SAFE_INTEGER), CONSISTENT)) {
      const content = replaceIn(row.content);
      if (content) await table.update(outbox, row, { set: [['packed', packContent(content)]] }, PRESENT);
    }
    for (const index of [outboxRetries, outboxParked])
      for (const row of await table.queryAll(index, index.span(shard, Number.MAX_SAFE_INTEGER), CONSISTENT)) {
        const content = replaceIn(row.content);
        if (content) await table.update(index, row, { set: [['packed', packContent(content)]] }, PRESENT);
      }
  }
  return undefined;
}

const CONSISTENT = { consistent: true };
