/** Measures the time until answers arrive. */
import type { DeploymentAnswer } from './answers.ts';
import { defineChecks } from './check.ts';
import type { CheckedDeployment } from './deployment.ts';

const LATER_REQUESTS = 10;

const MEASURED: Readonly<Record<string, (deployment: CheckedDeployment) => Promise<DeploymentAnswer>>> = {
  'the gateway alone': ({ ask }) => ask('PUT', '/v1/no-such-operation'),
  'a function': ({ ask }) => ask('GET', '/.well-known/oauth-protected-resource'),
  'authorizer, function and table': ({ askAsKey }) => askAsKey('GET', '/v1/projects?limit=1'),
  'a page': ({ ask }) => ask('GET', '/sign-in'),
};

const computeMedian = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

export const LATENCY_CHECKS = defineChecks('Latency', [
  {
    name: `Latency: the first answer, which may be a cold start, and the median of ${LATER_REQUESTS} later ones`,
    fix: 'Check the network between this computer and the service',
    isMeasurement: true,
    run: async (deployment) => {
      const lines: string[] = [];
      for (const [name, send] of Object.entries(MEASURED)) {
        const first = await send(deployment);
        const laterMilliseconds: number[] = [];
        while (laterMilliseconds.length < LATER_REQUESTS) laterMilliseconds.push((await send(deployment)).milliseconds);
        lines.push(
          `${name}: ${Math.round(first.milliseconds)} ms, then ${Math.round(computeMedian(laterMilliseconds))} ms`,
        );
      }
      return lines;
    },
  },
]);
