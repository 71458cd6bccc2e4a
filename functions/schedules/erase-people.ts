import { erasePeople } from '#shared/erasure/erase-people.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { schedule } from '#shared/platform/schedule.ts';

export const handler = schedule({
  name: 'erasePeople',
  expression: 'rate(5 minutes)',
  access: {
    table: 'readWrite',
    alsoWrites: [
      accounts,
      accountsByEmail,
      auditRecords,
      confirmationCodes,
      invitations,
      invitationsBySecret,
      linkOfAccount,
      passkeys,
      passkeysOfAccount,
      sessions,
      sessionsOfAccount,
      signInLinks,
    ],
    artifacts: 'none',
  },
  summary: 'Replaces people who are to be erased by pseudonyms',
  timeoutSeconds: 240,
  memoryMegabytes: 1024,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  handle: erasePeople,
});
