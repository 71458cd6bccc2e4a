/** Disables, enables, tests and deletes a notice. */
import type { AuditName } from '#shared/access/actions.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { noticeDisabled } from '#shared/engine/page-errors.ts';
import type { Secrets } from '#shared/engine/secrets/secrets.ts';
import { instantKey } from '#shared/engine/table/keys.ts';
import { ABSENT, check, put, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { type Notice, type NoticeKind, notices } from '#shared/model/notice.ts';
import { type NoticeDelivery, noticeDeliveries } from '#shared/model/notice-delivery.ts';
import { outbox, outboxRow } from '#shared/model/outbox.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { CoreServices } from '#shared/services.ts';
import { noticeExpiry } from './fan-out-notices.ts';
import { type NoticeRequest, stateOf } from './save-notice.ts';

interface KindRequest extends NoticeRequest {
  readonly kind: NoticeKind;
}

type Removing = CoreServices & { readonly secrets: Pick<Secrets, 'remove'> };

/** Removes the notice first: a credential without a notice is of no use to anybody. */
export async function deleteNotice(services: Removing, request: KindRequest): Promise<void> {
  const { secretName } = await changeNotice(services, request, (notice) => ({
    writes: [removeWhen(notices, notice, unchanged(notice))],
    action: 'notice deleted',
  }));
  await services.secrets.remove(secretName);
}

/** Enabling forgets the failures. */
export function enableNotice(services: CoreServices, request: KindRequest): Promise<Notice> {
  return changeNotice(services, request, (notice) => ({
    writes: notice.disabled ? [update(notices, notice, enabling(services.now()), unchanged(notice))] : [],
    action: 'notice enabled',
  }));
}

const enabling = (at: number) =>
  ({
    set: [
      ['failures', 0],
      ['updatedAt', at],
    ],
    remove: ['disabled', 'failingSince', 'pausedUntil'],
  }) as const;

export function disableNotice(services: CoreServices, request: KindRequest): Promise<Notice> {
  return changeNotice(services, request, (notice) => {
    const at = services.now();
    const set = [['disabled', { at, reason: 'byHand' }] as const, ['updatedAt', at] as const];
    return {
      writes: notice.disabled ? [] : [update(notices, notice, { set }, unchanged(notice))],
      action: 'notice disabled',
    };
  });
}

/** Queues a test, which takes the same way as a notice about a run. */
export function testNotice(services: CoreServices, request: KindRequest): Promise<Notice> {
  return changeNotice(services, request, (notice) => {
    if (notice.disabled) throw noticeDisabled();
    return {
      writes: [check(notices, notice, unchanged(notice)), ...testWrites(services, notice)],
      action: 'notice tested',
    };
  });
}

const ID_CHARACTERS = 24;

function testWrites({ now, randomId }: CoreServices, { organizationId, projectId, hookId }: Notice): Write[] {
  const at = now();
  const id = randomId(ID_CHARACTERS);
  const delivery: NoticeDelivery = {
    organizationId,
    projectId,
    hookId,
    deliveryId: `msg_${instantKey(at)}${id}`,
    event: 'Test',
    test: true,
    runId: null,
    groupId: null,
    status: 'pending',
    attemptsMade: 0,
    retry: 0,
    attempts: [],
    createdAt: at,
    expiresAt: noticeExpiry(at),
  };
  const job = { organizationId, hookId, deliveryId: delivery.deliveryId, attempt: 0 };
  const content = { kind: 'notice', job } as const;
  return [put(noticeDeliveries, delivery, ABSENT), put(outbox, outboxRow(hookId, { at, outboxId: id, content }))];
}

interface Change {
  readonly writes: readonly Write[];
  readonly action: Extract<AuditName<'projects:write'>, `notice ${string}`>;
}

const unchanged = ({ updatedAt }: Notice) => ({ path: 'updatedAt', equals: updatedAt }) as const;

function changeNotice(services: CoreServices, request: KindRequest, plan: (notice: Notice) => Change): Promise<Notice> {
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const { project, existing } = await stateOf(services, request, request.kind);
    const notice = existing ?? refuse(notFound('Notice'));
    const { writes, action } = plan(notice);
    if (writes.length === 0) return { result: notice };
    const { name: label, projectId: subject } = project;
    return { result: notice, writes, record: { action, subject, label, detail: notice.kind } };
  });
}
