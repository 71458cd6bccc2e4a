/** The parts of the sidebar besides its navigation: where the person is, the search and their account. */
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Avatar, Logo } from '#shared/pages/design/parts.tsx';
import type { AnyVisit, OrganizationVisit, ProjectVisit } from '#shared/sign-in/visit.ts';
import { linkToAccount, linkToHome, linkToOrganization, linkToSearch } from './hrefs.ts';

export const Brand = ({ visit }: { readonly visit: OrganizationVisit | ProjectVisit }): Html => (
  <a class="brand" href={linkToOrganization(visit)}>
    <Logo />
    {'project' in visit ? (
      <span>
        <span class="name">{visit.project.name}</span>
        <small>{visit.organizationName}</small>
      </span>
    ) : (
      <span class="name">{visit.organizationName}</span>
    )}
  </a>
);

/** Leads to the other projects. The script lists them in the menu when it is opened, so that no page has to read them. */
export const Switcher = ({ visit }: { readonly visit: OrganizationVisit | ProjectVisit }): Html => (
  <details class="menu end set switcher" data-projects={linkToSearch({ ...visit, projectId: undefined })}>
    <summary aria-label="Switch the project" title="Switch the project">
      <Icon name="chevrons-up-down" />
    </summary>
    <div>
      <div data-list />
      <a href={linkToOrganization(visit)}>
        <Icon name="house" />
        All projects
      </a>
      <a href={linkToHome(visit)}>
        <Icon name="layers" />
        All organizations
      </a>
    </div>
  </details>
);

/** The script opens the form as a dialog when the person presses `/` or Ctrl+K. */
export const SearchForm = ({ visit }: { readonly visit: OrganizationVisit | ProjectVisit }): Html => (
  <search>
    <form class="search-field" method="get" action={linkToSearch(visit)}>
      <input type="search" name="q" placeholder="Search" aria-label="Search" />
      <button type="submit" aria-label="Start the search">
        <Icon name="search" />
      </button>
      <kbd hidden>/</kbd>
    </form>
  </search>
);

export const Account = ({ visit }: { readonly visit: Extract<AnyVisit, { account: unknown }> }): Html => (
  <a class="me" href={linkToAccount(visit)} title={visit.account.email}>
    <Avatar name={visit.account.name} />
    {visit.account.name}
  </a>
);
