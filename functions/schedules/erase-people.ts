import { erasePeople } from '#shared/erasure/erase-people.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { schedule } from '#shared/platform/schedule.ts';

export const handler = schedule({
  name: 'erasePeople',
  expression: 'rate(5 minutes)',
  access: {
    table: 'readWrite',
    alsoWrites: [auditRecords, invitations, invitationsBySecret],
    artifacts: 'none',
  },
  summary: 'Replaces people who are to be erased by pseudonyms',
  timeoutSeconds: 240,
  memoryMegabytes: 1024,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  handle: erasePeople,
});
