/** Checks that the service answers over a secure connection and accepts the key. */

import { once } from 'node:events';
import { connect } from 'node:tls';
import * as z from 'zod';
import { describeAnswer, mustReturn, parseAnswer, parseAnswerData } from './answers.ts';
import { defineChecks } from './check.ts';
import type { CheckedDeployment } from './deployment.ts';
import { must, NotHere, requireFinding } from './outcome.ts';

const Project = z.object({ projectId: z.string(), name: z.string() });

const SAFE_PROTOCOLS: readonly (string | null)[] = ['TLSv1.2', 'TLSv1.3'];
const DAY = 24 * 3600 * 1000;
/** Until the certificate expires. AWS Certificate Manager renews certificates 60 days before. */
const LEAST_DAYS = 14;

/** The TLS version, and the days until the certificate expires. */
async function inspectTls({ origin, signal }: CheckedDeployment): Promise<{ protocol: string | null; days: number }> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname });
  try {
    await once(socket, 'secureConnect', { signal });
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY);
    return { protocol: socket.getProtocol(), days };
  } finally {
    socket.destroy();
  }
}

function skipWithoutTls({ origin }: CheckedDeployment): void {
  if (!origin.startsWith('https:')) throw new NotHere('the address begins with http://');
}

export const REACHABILITY_CHECKS = defineChecks('Address', [
  {
    name: 'The service answers at this address',
    fix: 'Check --url against the outputs of the stack: RecordUrl, or the domain. A domain needs its DNS record (a CNAME to the output DomainTarget, unless `zone` is set) and its certificate',
    isRequired: true,
    run: async ({ ask }) => {
      const answer = await ask('GET', '/health');
      parseAnswer(z.object({ status: z.literal('OK') }), answer);
      return [`after ${Math.round(answer.milliseconds)} ms, including the connection`];
    },
  },
]);

export const CONNECTION_CHECKS = defineChecks('Connection', [
  {
    name: 'The certificate is valid for two weeks or more, and the protocol is TLS 1.2 or newer',
    fix: 'Renew the certificate of the setting `certificate` in AWS Certificate Manager: its DNS record for validation must exist. Old protocols: set SecurityPolicy TLS_1_2 at the domain name in API Gateway',
    run: async (deployment) => {
      skipWithoutTls(deployment);
      const { protocol, days } = await inspectTls(deployment);
      must(SAFE_PROTOCOLS.includes(protocol), `The connection uses ${protocol}`);
      must(days >= LEAST_DAYS, `The certificate expires in ${days} days`);
      return [`${protocol}, ${days} days left`];
    },
  },
  {
    name: 'Pages tell browsers to use https only (HSTS)',
    fix: 'Functions do not know that the service uses https: set `domain` in infra/environments/<env>.json, and deploy. A proxy in front of the API may also remove the header',
    run: async (deployment) => {
      skipWithoutTls(deployment);
      const { headers } = await deployment.ask('GET', '/sign-in');
      const header = headers.get('strict-transport-security');
      must(/max-age=\d{7,}/.test(header ?? ''), `Strict-Transport-Security of /sign-in is ${header}`);
    },
  },
  {
    name: 'The key is accepted and may write, and its organization has a project',
    fix: 'If the answer is 401, the key is wrong or belongs to another deployment: create one with `npm run admin -- keys create --level readWrite`, and a project with `npm run admin -- projects create`. 503: the authorizer cannot read the table, or the deployment still attaches gateway keys; read /aws/lambda/rundown-<env>-authorizer',
    run: async ({ askAsKey, projectId }, findings) => {
      const answer = await askAsKey(
        'GET',
        projectId === undefined ? '/v1/projects?limit=2' : `/v1/projects/${projectId}`,
      );
      must(projectId === undefined || answer.status !== 404, `There is no project ${projectId}`);
      const [project, ...others] =
        projectId === undefined ? parseAnswerData(z.array(Project), answer) : [parseAnswerData(Project, answer)];
      must(project !== undefined, 'There is no project');
      // The run `none` does not exist, so 404 means that the key may write, and 403 that it may not.
      const write = await askAsKey('PUT', '/v1/runs/none/cancel');
      mustReturn(write, 404);
      findings.project = project;
      return [
        `recording in ${project.name} (${project.projectId})${others.length > 0 ? `; choose another one with --project` : ''}`,
      ];
    },
  },
  {
    name: 'An agent can call an MCP tool with the key',
    fix: 'Read the log /aws/lambda/rundown-<env>-mcp',
    run: async (deployment, findings) => {
      const { projectId } = requireFinding(findings.project, 'project');
      const answer = await deployment.askAsKey('POST', '/mcp', {
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': '2025-06-18',
        },
        // Not `list_projects`, because its first page may lack an older project.
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_runs', arguments: { projectId } },
        }),
      });
      const isResult = answer.text.includes('"result"') && !answer.text.includes('"isError":true');
      must(answer.status === 200 && isResult, `${describeAnswer(answer)}, not with the runs of the project`);
    },
  },
]);
