/** The commits that were deployed to an environment, from the history of a parameter that each deployment writes. */
import * as z from 'zod';
import { type Environment, formatCommitParameter } from '#infra/build/environments.ts';
import { addAwsCredentials } from '#infra/cli/store.ts';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';
import { SignedService, toHttpRequest } from '#shared/engine/aws/signed-service.ts';

const History = z.object({
  Parameters: z.array(z.object({ Value: z.string(), Version: z.number() })),
  NextToken: z.string().optional(),
});

/** From the oldest deployment to the present one. Parameter Store keeps the last hundred. Empty if there are none. */
export async function readDeployedCommits(environment: Environment): Promise<string[]> {
  const Name = formatCommitParameter(environment);
  const store = new SignedService('ssm', await addAwsCredentials({ ...process.env }));
  const all: z.infer<typeof History>['Parameters'] = [];
  let NextToken: string | undefined;
  do {
    const page = await readPage(store, { Name, NextToken });
    if (page === undefined) return [];
    all.push(...page.Parameters);
    NextToken = page.NextToken;
  } while (NextToken);
  return all.sort((one, other) => one.Version - other.Version).map(({ Value }) => Value);
}

/** Returns `undefined` if the parameter does not exist. */
async function readPage(store: SignedService, input: object): Promise<z.infer<typeof History> | undefined> {
  const address = new URL('/', store.customEndpoint ?? `https://${store.publicHost}`);
  const body = JSON.stringify(input);
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameterHistory' };
  const request = await store.signer.sign(toHttpRequest(address, { method: 'POST', headers, body }));
  const answer = await fetch(address, { method: 'POST', headers: request.headers, body });
  const text = await answer.text();
  if (answer.ok) return History.parse(JSON.parse(text));
  if (text.includes('ParameterNotFound')) return undefined;
  throw new Error(`The deployed commits cannot be read: Parameter Store answered with ${answer.status} ${text}`);
}

const NAME_IT = 'Name the commit or tag to deploy: --to <commit>';

/** The commit that ran before the present one. `deployed`: from the oldest deployment to the present one. */
export function choosePreviousCommit(deployed: readonly string[]): string {
  const current = deployed.at(-1);
  const before = deployed.findLastIndex((commit) => commit !== current);
  const previous = deployed[before];
  if (current === undefined || previous === undefined)
    throw new UsageError(`Nothing says which commit ran before. Releases up to 0.2.0 do not store it. ${NAME_IT}`);
  // The last deployment has already undone one, or CloudFormation has, when a deployment failed in its last step.
  if (deployed.slice(0, before).includes(current))
    throw new UsageError(`${current} runs again, after ${previous} did, so it is not clear what to undo. ${NAME_IT}`);
  if (previous.endsWith('-dirty'))
    throw new UsageError(`${previous} ran before, with changes that were not committed. ${NAME_IT}`);
  return previous;
}
