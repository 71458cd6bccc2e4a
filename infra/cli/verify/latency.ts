/** Latency of the first request, which may be a cold start, and of later ones. */
import type { DeploymentCheck } from './check.ts';
import type { Answered, CheckedDeployment } from './deployment.ts';

const LATER_REQUESTS = 10;

interface Measured {
  readonly name: string;
  readonly send: (deployment: CheckedDeployment) => Promise<Answered>;
}

const MEASURED: readonly Measured[] = [
  { name: 'the gateway alone', send: ({ ask }) => ask('PUT', '/v1/no-such-operation') },
  { name: 'a function', send: ({ ask }) => ask('GET', '/.well-known/oauth-protected-resource') },
  { name: 'authorizer, function and table', send: ({ askAsKey }) => askAsKey('GET', '/v1/projects?limit=1') },
  { name: 'a page', send: ({ ask }) => ask('GET', '/sign-in') },
];

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

export const LATENCY: readonly DeploymentCheck[] = [
  {
    area: 'Latency',
    name: `Latency: the first answer, which may be a cold start, and the median of ${LATER_REQUESTS} later ones`,
    fix: 'Check the network between this computer and the service',
    isMeasurement: true,
    run: async (deployment) => {
      const lines: string[] = [];
      for (const { name, send } of MEASURED) {
        const first = await send(deployment);
        const later: number[] = [];
        while (later.length < LATER_REQUESTS) later.push((await send(deployment)).milliseconds);
        lines.push(`${name}: ${Math.round(first.milliseconds)} ms, then ${Math.round(median(later))} ms`);
      }
      return lines;
    },
  },
];
