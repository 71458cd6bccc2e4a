/**
 * The layout of every page: breadcrumbs, notices and footer, and a sidebar for pages of an organization. On phones, the
 * sidebar is a menu.
 */

import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { getRelease } from '#shared/engine/release.ts';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { Icon, Sprite } from '#shared/pages/design/icon.tsx';
import { HideButton, Logo, Notice } from '#shared/pages/design/parts.tsx';
import type { AnyVisit, OrganizationVisit, ProjectVisit, Visit } from '#shared/sign-in/visit.ts';
import { getAssetPath } from './asset-paths.ts';
import {
  linkToDocs,
  linkToHome,
  linkToOrganization,
  linkToProjectSettings,
  linkToSearch,
  linkToSignIn,
} from './hrefs.ts';
import { Navigation, PhoneTabs } from './navigation.tsx';
import { Account, Brand, SearchForm, Switcher } from './sidebar.tsx';
import { StyleSheets } from './style-sheets.tsx';
import { UsageWarnings } from './usage-warnings.tsx';
import type { View } from './view.ts';

interface Arrival {
  /** The page then has its style sheets in it. */
  readonly isFromElsewhere: boolean;
}

export function renderLayout(visit: Visit | AnyVisit, view: View, { isFromElsewhere }: Arrival): string {
  const body = <Body visit={visit} view={view} />;
  return `<!DOCTYPE html>${(
    <html lang="en" data-theme={visit.theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={visit.theme === 'system' ? 'light dark' : visit.theme} />
        {view.isShared && <meta name="robots" content="noindex, nofollow" />}
        {!('account' in visit) && (
          <>
            <meta property="og:site_name" content="Rundown" />
            <meta property="og:title" content={view.title} />
            <meta property="og:description" content="Test results: what failed, since when, and why" />
          </>
        )}
        <title>{formatTitle(visit, view)}</title>
        <link rel="icon" href={visit.base + getAssetPath('icon.svg')} type="image/svg+xml" />
        <StyleSheets of={body} base={visit.base} isFromElsewhere={isFromElsewhere} />
        <script type="module" src={visit.base + getAssetPath('rundown.js')} />
        {view.script && <script type="module" src={visit.base + getAssetPath(view.script)} />}
      </head>
      <body>
        <Sprite of={body} />
        <a class="skip-link" href="#main">
          Skip to content
        </a>
        {body}
      </body>
    </html>
  )}`;
}

function formatTitle(visit: Visit | AnyVisit, { title }: View): string {
  return 'project' in visit ? `${title} · ${visit.project.name} · Rundown` : `${title} · Rundown`;
}

interface Props {
  readonly visit: Visit | AnyVisit;
  readonly view: View;
}

/** Pages of an organization have a sidebar. All other pages, such as the sign-in page, have one narrow column. */
const Body = ({ visit, view }: Props): Html =>
  'organizationName' in visit ? <PageWithSidebar visit={visit} view={view} /> : <LonePage visit={visit} view={view} />;

interface SidebarProps {
  readonly visit: OrganizationVisit | ProjectVisit;
  readonly view: View;
}

const PageWithSidebar = ({ visit, view }: SidebarProps): Html => (
  <div class="shell">
    <header class="phone">
      <Brand visit={visit} />
      <a class="button quiet" href={linkToSearch(visit)} aria-label="Search">
        <Icon name="search" />
      </a>
    </header>
    <nav class="side" id="menu" popover="auto" aria-label={'project' in visit ? 'Project' : 'Organization'}>
      <div>
        <HideButton of="menu" />
        <div class="place">
          <Brand visit={visit} />
          <Switcher visit={visit} />
        </div>
        <SearchForm visit={visit} />
        <Navigation visit={visit} tab={view.tab} />
        <Account visit={visit} />
      </div>
    </nav>
    <div>
      <Main visit={visit} view={view} />
      <Footer visit={visit} view={view} />
    </div>
    <PhoneTabs visit={visit} tab={view.tab} />
  </div>
);

const LonePage = ({ visit, view }: Props): Html => (
  <div class="lone">
    <header class="top">
      {view.isShared ? (
        <span class="brand">
          <Logo />
          Rundown
        </span>
      ) : (
        <>
          <a class="brand" href={linkToHome(visit)}>
            <Logo />
            Rundown
          </a>
          <span class="grow" />
          {'account' in visit && <Account visit={visit} />}
          {!('account' in visit) && !view.isSignIn && <a href={linkToSignIn(visit)}>Sign in</a>}
        </>
      )}
    </header>
    <Main visit={visit} view={view} />
    <Footer visit={visit} view={view} />
  </div>
);

const Main = ({ visit, view }: Props): Html => (
  <main id="main">
    {view.breadcrumbs && (
      <div class="way">
        <nav class="breadcrumbs" aria-label="Breadcrumbs">
          <ol>
            {view.breadcrumbs.map(({ name, href }) => (
              <li>{href === undefined ? <span aria-current="page">{name}</span> : <a href={href}>{name}</a>}</li>
            ))}
          </ol>
        </nav>
        {view.neighbours}
      </div>
    )}
    {'project' in visit && <DeletedProject visit={visit} />}
    {'usageWarnings' in visit && may(visit.person, 'organizations:change') && <UsageWarnings visit={visit} />}
    {view.said !== undefined && (
      <div class="notice passed" role="status" id="said">
        <Icon name="circle-check" />
        <div>{view.said}</div>
      </div>
    )}
    {view.queryProblem !== undefined && (
      <Notice tone="failed" isAlert>
        {view.queryProblem}. All filters were ignored.
      </Notice>
    )}
    {view.isBehind && (
      <div class="notice" role="status">
        Runs that ended within the last minute are still being added. Reload the page to see them.
      </div>
    )}
    {view.body}
  </main>
);

const DeletedProject = ({ visit }: { readonly visit: ProjectVisit }): Html =>
  visit.project.deletesAt === undefined ? (
    <></>
  ) : (
    <Notice tone="failed">
      <p>
        <strong>{visit.project.name} was deleted.</strong> It records no new runs, and its data will be removed on{' '}
        <FullTime at={visit.project.deletesAt} />.{' '}
        {!may(visit.person, 'projects:write') && 'Until then, an Admin can restore it. '}
        <a href={linkToOrganization(visit)}>Back to the overview</a>
      </p>
      {may(visit.person, 'projects:write') && (
        <PostButton action={linkToProjectSettings(visit, 'restore')}>Restore the project</PostButton>
      )}
    </Notice>
  );

/** Shows the release, because operators need it when people report a problem. */
function Footer({ visit, view }: Props): Html {
  const { version, commit } = getRelease();
  return (
    <footer class="page">
      Rundown {version}
      {commit && ` (${commit})`} ·{' '}
      {!view.isShared && (
        <>
          <a href={linkToDocs(visit, undefined, { project: 'projectId' in visit ? visit.projectId : undefined })}>
            Documentation
          </a>{' '}
          ·{' '}
        </>
      )}
      <span class="zone">Times in UTC</span>
    </footer>
  );
}
