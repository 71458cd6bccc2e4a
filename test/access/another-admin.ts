/** A second Admin per organization, because the last Admin cannot leave. Tests must not change this account. */
import type { Account } from '#shared/model/organizations/account.ts';
import { member } from '#test/harness/people.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';

const known = new Map<string, Promise<Account>>();

export function anotherAdmin(stage: TestService & Tenant): Promise<Account> {
  const admin = known.get(stage.organizationId) ?? member(stage, 'admin');
  known.set(stage.organizationId, admin);
  return admin;
}
