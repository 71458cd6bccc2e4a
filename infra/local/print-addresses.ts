/** Prints what a person needs when the local service is ready: its addresses, keys and sign-in links. */
import { join } from 'node:path';
import { printLine, quiet, strong } from '#infra/cli/terminal/terminal.ts';
import type { LocalFile } from '#infra/demo/demo-organization.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';

export function printAddresses(
  { baseUrl, recordUrl, mcpUrl, dashboardUrl, dsn, people, apiKeys, personalAccessToken, projects, oauth }: LocalFile,
  dataDirectory: string,
  seconds: number,
): void {
  const [project] = projects;
  const line = (name: string, value: string) =>
    printLine(`${strong(name)}${' '.repeat(NAME_COLUMNS - name.length)}${value}`);
  printLine('');
  line('Dashboard', dashboardUrl);
  for (const { role, signInLink } of people)
    printLine(`  ${quiet(role.padEnd(13))}  ${signInLink} ${quiet('signs in once')}`);
  line('REST API', baseUrl);
  line('Recording', recordUrl);
  line('MCP server', mcpUrl);
  line('Project', `${project?.projectId} ${quiet(makeVisibleLine(project?.name ?? ''))}`);
  line('API key', `${apiKeys.readWrite} ${quiet('read and write; also the record key')}`);
  line('Read-only key', apiKeys.readOnly);
  line('Personal token', `${personalAccessToken} ${quiet('of the demo Admin; read-only')}`);
  line('Record tests', `RUNDOWN_DSN=${dsn}`);
  const command = oauth.clientId ? 'npm run login' : 'npm run login -- --client <id>';
  line('OAuth issuer', `${oauth.issuer} ${quiet(`sign in with ${command}`)}`);
  line('For scripts', join(dataDirectory, 'local.json'));
  printLine('');
  printLine(`curl -H 'Authorization: Bearer ${apiKeys.readWrite}' ${baseUrl}/projects`);
  printLine('');
  printLine(
    `Rundown is ready ${quiet(`after ${seconds.toFixed(1)} s`)}. Ctrl-C stops it, and its data stays in ${dataDirectory}`,
  );
}

const NAME_COLUMNS = 17;
