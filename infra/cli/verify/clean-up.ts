/** Removes what the checks created. */
import type { DeploymentCheck } from './check.ts';
import { type CheckedDeployment, shown } from './deployment.ts';
import { NotHere, Wrong } from './outcome.ts';
import { mustRefuse } from './refusals.ts';

const area = 'Clean-up';

async function remove({ askAsKey }: CheckedDeployment, path: `/${string}`): Promise<void> {
  const deleted = await askAsKey('DELETE', path);
  if (deleted.status !== 200) throw new Wrong(`${shown(deleted)}, expected 200`);
  mustRefuse(await askAsKey('GET', path), 404);
}

const byHand = (place: string): string => `Delete it by hand in ${place}, or send DELETE to the path above`;

export const CLEAN_UP_CHECKS: readonly DeploymentCheck[] = [
  {
    area,
    name: 'The webhook is deleted',
    fix: byHand('the settings of the project'),
    isCleanUp: true,
    run: async (deployment, { webhook }) => {
      if (!webhook) throw new NotHere('none was created');
      await remove(deployment, `/v1/webhooks/${webhook.hookId}`);
      return undefined;
    },
  },
  {
    area,
    name: 'The recorded run is deleted, and reading it returns 404 at once',
    fix: byHand('the page of the run'),
    isCleanUp: true,
    run: async (deployment, { run }) => {
      if (!run) throw new NotHere('none was recorded');
      await remove(deployment, `/v1/runs/${run.runId}`);
      return undefined;
    },
  },
];
