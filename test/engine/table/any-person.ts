/** Random table items for property tests: accounts, memberships, invitations, tokens and audit records. */
import fc from 'fast-check';
import type { Account } from '#shared/model/organizations/account.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import type { Invitation } from '#shared/model/organizations/invitation.ts';
import { type Membership, ROLES } from '#shared/model/organizations/membership.ts';
import { PERMISSIONS } from '#shared/model/organizations/permissions.ts';
import type { PersonalToken } from '#shared/model/organizations/personal-token.ts';
import { hex, owner, text, textOrNull, time } from './any-value.ts';

export const account: fc.Arbitrary<Account> = fc.record({
  accountId: hex(16),
  email: text,
  name: text,
  createdAt: time,
  passkeys: fc.nat(20),
});

export const membership: fc.Arbitrary<Membership> = fc.record({
  ...owner,
  accountId: hex(16),
  role: fc.constantFrom(...ROLES),
  startedAt: time,
});

export const invitation: fc.Arbitrary<Invitation> = fc.record({
  ...owner,
  email: text,
  role: fc.constantFrom(...ROLES),
  hash: hex(64),
  invitedBy: text,
  createdAt: time,
  validUntil: time,
});

export const personalToken: fc.Arbitrary<PersonalToken> = fc.record({
  ...owner,
  hash: hex(64),
  tokenId: hex(16),
  accountId: hex(16),
  name: text,
  description: textOrNull,
  permissions: fc.subarray([...PERMISSIONS], { minLength: 1 }),
  lastFour: text,
  createdAt: time,
  validUntil: time,
});

export const auditRecord: fc.Arbitrary<AuditRecord> = fc.record({
  ...owner,
  at: time,
  auditId: hex(8),
  actor: text,
  action: text,
  subject: text,
  detail: text,
});
