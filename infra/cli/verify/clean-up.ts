/** Deletes what the other checks created, and checks that it is gone. */
import { mustReturn } from './answers.ts';
import { defineChecks } from './check.ts';
import type { CheckedDeployment } from './deployment.ts';
import { NotHere } from './outcome.ts';
import { mustRefuse } from './refusals.ts';

async function remove({ askAsKey }: CheckedDeployment, path: `/${string}`): Promise<void> {
  const deletion = await askAsKey('DELETE', path);
  mustReturn(deletion, 200);
  mustRefuse(await askAsKey('GET', path), 404);
}

const suggestDeletion = (place: string): string => `Delete it by hand ${place}, or send DELETE to the path above`;

export const CLEAN_UP_CHECKS = defineChecks('Clean-up', [
  {
    name: 'The webhook is deleted',
    fix: suggestDeletion('in the settings of the project'),
    isCleanUp: true,
    run: async (deployment, { webhook }) => {
      if (!webhook) throw new NotHere('no webhook was created');
      await remove(deployment, `/v1/webhooks/${webhook.hookId}`);
    },
  },
  {
    name: 'The recorded run is deleted, and reading it returns 404 immediately',
    fix: suggestDeletion('on the page of the run'),
    isCleanUp: true,
    run: async (deployment, { run }) => {
      if (!run) throw new NotHere('no run was recorded');
      await remove(deployment, `/v1/runs/${run.runId}`);
    },
  },
]);
