/** Fills the commands of the guides and of the reference with the values of this service and of a project. */
import { formatDsn } from '#shared/organizations/dsn.ts';
import { buildClientUrl } from '#shared/pages/shell/client-path.ts';
import type { DocsProps } from './chosen-project.tsx';

/** How the guides and the reference write values that differ between services and people. */
const PLACEHOLDERS = {
  origins: ['https://rundown.example.com', 'https://results.example.com', '<recordUrl>', '$(setting recordUrl)'],
  projects: ['<project id>', '<projectId>', '{projectId}', "$(setting 'projects[0].projectId')"],
} as const;

/** Defines the shell function `setting`. All of its calls are replaced, so readers on the website do not need it. */
const LOCAL_SETTINGS = /^setting\(\) \{.*\n/;

export function makePlaceholderFiller({
  origin,
  chosen,
}: Pick<DocsProps, 'origin' | 'chosen'>): (code: string) => string {
  const organization = chosen?.organizationId ?? '<organization id>';
  const project = chosen?.projectId ?? '<project id>';
  return (code) => {
    const values: readonly (readonly [string, string])[] = [
      ['export RUNDOWN_API_KEY=$(setting apiKeys.readWrite)', 'export RUNDOWN_API_KEY=<key>'],
      ...PLACEHOLDERS.projects.map((placeholder) => [placeholder, project] as const),
      ['<organization id>', organization],
      ['<dsn>', formatDsn(origin, project, '<key>')],
      ['https://<key>@rundown.example.com', formatDsn(origin, '', '<key>').slice(0, -1)],
      ['https://rundown.example.com/client/<version>/rundown-cli.tgz', buildClientUrl(origin)],
      ...PLACEHOLDERS.origins.map((placeholder) => [placeholder, origin] as const),
      ['$(setting baseUrl)', `${origin}/v1`],
      ['$(setting mcpUrl)', `${origin}/mcp`],
      ['$(setting apiKeys.readOnly)', '$RUNDOWN_API_KEY'],
      ['$(setting apiKeys.readWrite)', '$RUNDOWN_API_KEY'],
      ['$(setting personalAccessToken)', '$RUNDOWN_TOKEN'],
    ];
    return values.reduce(
      (text, [placeholder, value]) => text.replaceAll(placeholder, () => value),
      code.replace(LOCAL_SETTINGS, ''),
    );
  };
}
