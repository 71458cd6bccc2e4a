/** Projects as tools show them: with what tells them apart, but without the settings that decide about runs in progress. */
import type * as z from 'zod';
import type { Project } from '#shared/model/organizations/project.ts';

type ProjectFields = z.output<typeof Project>;

/** Each project keeps its cursor, because `formatAnswer` needs the cursor of the last one. */
export const shortenProjects = <
  Page extends { readonly data: readonly (ProjectFields & { readonly cursor: string })[] },
>(
  page: Page,
) => ({
  ...page,
  data: page.data.map(({ projectId, name, defaultBranchName, retention, tags, cursor }) => ({
    projectId,
    name,
    defaultBranchName,
    retention,
    ...(tags.length > 0 ? { tags } : {}),
    cursor,
  })),
});
