/** The project whose values the commands of the documentation show. */
import type { Html } from '#shared/engine/html/html.ts';
import type { OwnProject } from '#shared/organizations/own-organizations.ts';
import { Notice } from '#shared/pages/design/parts.tsx';
import { linkToDocs, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';

export interface DocsProps {
  readonly visit: Visit | AccountVisit;
  readonly origin: string;
  /** The page below `/docs`. Absent on the start page. */
  readonly page?: string;
  /** The projects of the person. Empty if nobody is signed in. */
  readonly projects: readonly OwnProject[];
  /** The project whose values the commands show. */
  readonly chosen: OwnProject | undefined;
}

export const pickProject = (projects: readonly OwnProject[], projectId: string | undefined): OwnProject | undefined =>
  projects.find((project) => project.projectId === projectId) ?? projects[0];

export const linkToDocsPage = ({ visit, chosen }: DocsProps, page?: string): string =>
  linkToDocs(visit, page, { project: chosen?.projectId });

/** Says whose values the commands show, and lets the person choose another project. */
export function Values({ visit, page, projects, chosen }: DocsProps): Html {
  if (!('account' in visit))
    return (
      <Notice>
        <a href={linkToSignIn(visit)}>Sign in</a> to see the commands with the ids of your project.
      </Notice>
    );
  if (!chosen) return <></>;
  return (
    <form class="filter-bar" method="get" action={linkToDocs(visit, page)} aria-label="Project shown in the commands">
      <label for="project">Commands for</label>
      <select id="project" name="project">
        {projects.map(({ projectId, name, organizationName }) => (
          <option value={projectId} selected={projectId === chosen.projectId}>
            {organizationName} › {name}
          </option>
        ))}
      </select>
      <button type="submit" class="quiet">
        Show
      </button>
    </form>
  );
}
