import { removeOrganizations } from '#shared/lifecycle/remove-organizations.ts';
import { dueDeletions, dueOrganizations, dueProjects } from '#shared/model/due.ts';
import { outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import { allOrganizations, organizations } from '#shared/model/organizations/organization.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { ROWS_OF_ORGANIZATION, ROWS_OF_PEOPLE } from '#shared/model/organizations/rows-of-organization.ts';
import { noteActiveOrganizations } from '#shared/organizations/note-active-organizations.ts';
import { connectProviders, connectTrackers } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const trackers = connectTrackers();
const providers = connectProviders();

/** §5 */
export const handler = schedule({
  name: 'removeOrganizations',
  expression: 'rate(5 minutes)',
  access: {
    table: 'readWrite',
    reads: [dueDeletions, projectsOfOrganization],
    writes: [
      ...ROWS_OF_ORGANIZATION.flatMap(({ kinds }) => kinds),
      ...ROWS_OF_PEOPLE,
      activeOrganizations,
      allOrganizations,
      dueOrganizations,
      dueProjects,
      organizations,
      outboxParked,
      outboxRetries,
      projects,
    ],
    artifacts: 'none',
    trackers: 'write',
    providers: 'write',
  },
  summary: 'Removes deleted organizations with their people, credentials and audit records, and counts the active ones',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  async handle(services, run) {
    await noteActiveOrganizations(services);
    return removeOrganizations({ ...services, trackers: trackers().secrets, providers: providers() }, run);
  },
});
