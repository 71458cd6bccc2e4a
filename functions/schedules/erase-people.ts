import { erasePeople } from '#shared/erasure/erase-people.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryGroupMembers } from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { directoryValues } from '#shared/model/directory/directory-value.ts';
import { accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { companyIdentities } from '#shared/model/sign-in/company-provider.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
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
      companyAccounts,
      companyIdentities,
      confirmationCodes,
      directoryEntries,
      directoryGroupMembers,
      directoryNames,
      directoryValues,
      invitations,
      invitationsBySecret,
      linkOfAccount,
      passkeys,
      passkeysOfAccount,
      providerIdentities,
      providerIdentitiesOfAccount,
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
