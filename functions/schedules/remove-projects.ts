import { removeProjects } from '#shared/lifecycle/remove-projects.ts';
import { badges, badgesOfProject } from '#shared/model/organizations/badge.ts';
import { shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { trustedRepositories } from '#shared/model/organizations/trusted-repository.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const secrets = connectSecrets();

export const handler = schedule({
  name: 'removeProjects',
  expression: 'rate(5 minutes)',
  access: {
    table: 'readWrite',
    alsoWrites: [badges, badgesOfProject, shares, sharesOfProject, trustedRepositories],
    artifacts: 'exportDelete',
    secrets: 'write',
  },
  summary: 'Removes deleted projects and their data',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  handle: (services, run) => removeProjects({ ...services, secrets: secrets() }, run),
});
