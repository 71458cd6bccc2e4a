/**
 * The layout of every page: breadcrumbs, notices and footer, and a sidebar for pages of an organization. On phones, the
 * sidebar is a menu.
 */

import type { OrganizationAction } from '#shared/access/actions.ts';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { getRelease } from '#shared/engine/release.ts';
import { FullTime, formatRate } from '#shared/pages/design/format.tsx';
import { Icon, Sprite } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { Avatar, HideButton, Logo, Notice } from '#shared/pages/design/parts.tsx';
import type { AnyVisit, OrganizationVisit, ProjectVisit, Visit } from '#shared/sign-in/visit.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import { getAssetPath } from './asset-paths.ts';
import { EmbeddedStyle } from './embedded-style.tsx';
import {
  linkToAccount,
  linkToConnectAgent,
  linkToDocs,
  linkToHome,
  linkToIntegrations,
  linkToIssues,
  linkToOrganization,
  linkToOrganizationSettings,
  linkToProjectPage,
  linkToProjectSettings,
  linkToPullRequests,
  linkToRules,
  linkToRuns,
  linkToSearch,
  linkToSignIn,
} from './hrefs.ts';
import type { View } from './view.ts';

interface Arrival {
  /** The page then has the style sheet in it, and the browser loads it only for the next page. */
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
        <title>{[view.title, ...('project' in visit ? [visit.project.name] : []), 'Rundown'].join(' · ')}</title>
        <link rel="icon" href={visit.base + getAssetPath('icon.svg')} type="image/svg+xml" />
        {isFromElsewhere && <EmbeddedStyle />}
        <link
          rel="stylesheet"
          href={visit.base + getAssetPath('rundown.css')}
          media={isFromElsewhere ? 'not all' : undefined}
        />
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

interface Props {
  readonly visit: Visit | AnyVisit;
  readonly view: View;
}

/** Pages of an organization have a sidebar. All other pages, such as the sign-in page, have one narrow column. */
const Body = ({ visit, view }: Props): Html =>
  'organizationName' in visit ? (
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
  ) : (
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
            {'account' in visit ? <Account visit={visit} /> : <a href={linkToSignIn(visit)}>Sign in</a>}
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
    {'project' in visit && visit.project.deletesAt !== undefined && (
      <Notice tone="failed">
        This project was deleted. It records no new runs, and its data is removed on{' '}
        <FullTime at={visit.project.deletesAt} />.{' '}
        {may(visit.person, 'projects:write') ? (
          <form method="post" action={linkToProjectSettings(visit, 'restore')} class="inline">
            <button type="submit">Restore the project</button>
          </form>
        ) : (
          'Until then, an Admin can restore it.'
        )}
      </Notice>
    )}
    {'usageWarnings' in visit && may(visit.person, 'organizations:change') && <UsageWarnings visit={visit} />}
    {view.said !== undefined && (
      <div class="notice passed" role="status" id="said">
        <Icon name="circle-check" />
        <div>{view.said}</div>
      </div>
    )}
    {view.queryProblem !== undefined && (
      <Notice tone="failed" isAlert>
        {view.queryProblem.message}. All filters in this address were ignored.
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

const UsageWarnings = ({ visit }: { readonly visit: OrganizationVisit }): Html => (
  <>
    {visit.usageWarnings.map(({ of, used, limit, refuses }) => (
      <Notice tone={refuses && used >= limit ? 'failed' : 'flaky'}>
        {visit.organizationName} has used {formatRate(used / limit)} of{' '}
        {of === 'requests' ? 'its requests for this month' : 'its storage'}.{' '}
        {!refuses && 'Nothing is refused, because no other organization uses this service. '}
        {refuses &&
          used >= limit &&
          (of === 'requests'
            ? `Requests are refused, and ${used < USAGE_LIMITS.recordingReserve * limit ? 'soon results will not be recorded either' : 'results are not recorded'}. `
            : 'Results are recorded without their files. ')}
        <a href={linkToOrganizationSettings(visit, 'usage')}>Usage</a>
      </Notice>
    ))}
  </>
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
          <a href={linkToDocs(visit)}>Documentation</a> ·{' '}
        </>
      )}
      <span class="zone">Times in UTC</span>
    </footer>
  );
}

const Brand = ({ visit }: { readonly visit: OrganizationVisit | ProjectVisit }): Html => (
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
const Switcher = ({ visit }: { readonly visit: OrganizationVisit | ProjectVisit }): Html => (
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
const SearchForm = ({ visit }: { readonly visit: OrganizationVisit | ProjectVisit }): Html => (
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

const Account = ({ visit }: { readonly visit: Extract<AnyVisit, { account: unknown }> }): Html => (
  <a class="me" href={linkToAccount(visit)} title={visit.account.email}>
    <Avatar name={visit.account.name} />
    {visit.account.name}
  </a>
);

interface Item {
  readonly name: string;
  readonly icon: IconName;
  readonly href: string;
  readonly needs: OrganizationAction;
  readonly under?: 'Manage';
  /** How much is new on the page. */
  readonly unseen?: number;
  /** Whether the item is left out of the tabs at the bottom of a phone's screen. */
  readonly isNoTab?: true;
}

const listProjectItems = (visit: ProjectVisit): Item[] => [
  { name: 'Runs', icon: 'circle-play', href: linkToRuns(visit), needs: 'results:read' },
  {
    name: 'Pull requests',
    icon: 'git-pull-request',
    href: linkToPullRequests(visit),
    needs: 'results:read',
    isNoTab: true,
  },
  { name: 'Tests', icon: 'list-checks', href: linkToProjectPage(visit, 'tests'), needs: 'analytics:read' },
  { name: 'Flaky', icon: 'shuffle', href: linkToProjectPage(visit, 'flaky'), needs: 'analytics:read' },
  { name: 'Errors', icon: 'bug', href: linkToProjectPage(visit, 'errors'), needs: 'analytics:read' },
  { name: 'Issues', icon: 'circle-dot', href: linkToIssues(visit), needs: 'results:read', isNoTab: true },
  { name: 'Insights', icon: 'chart-column', href: linkToProjectPage(visit, 'insights'), needs: 'analytics:read' },
  { name: 'Rules', icon: 'shield', href: linkToRules(visit), needs: 'actions:read', under: 'Manage' },
  { name: 'Settings', icon: 'settings', href: linkToProjectSettings(visit), needs: 'projects:read', under: 'Manage' },
];

const NEWS_TAB = 'News';

const listOrganizationItems = (visit: OrganizationVisit): Item[] => {
  const settings = (page: string) => linkToOrganizationSettings(visit, page);
  return [
    { name: 'Overview', icon: 'house', href: linkToOrganization(visit), needs: 'projects:read' },
    { name: 'Members', icon: 'users', href: settings('members'), needs: 'members:list', under: 'Manage' },
    { name: 'API keys', icon: 'key-round', href: settings('api-keys'), needs: 'apiKeys:list', under: 'Manage' },
    { name: 'Tokens', icon: 'lock', href: settings('tokens'), needs: 'tokens:listAll', under: 'Manage' },
    { name: 'Directory', icon: 'network', href: settings('directory'), needs: 'signIn:read', under: 'Manage' },
    { name: 'Connect an agent', icon: 'bot', href: linkToConnectAgent(visit), needs: 'projects:read', under: 'Manage' },
    {
      name: 'Issue trackers',
      icon: 'unplug',
      href: linkToIntegrations(visit),
      needs: 'integrations:change',
      under: 'Manage',
    },
    {
      name: 'Company sign-in',
      icon: 'log-in',
      href: settings('company-sign-in'),
      needs: 'companySignIn:change',
      under: 'Manage',
    },
    {
      name: 'Sharing and AI',
      icon: 'external-link',
      href: settings('sharing'),
      needs: 'organizations:change',
      under: 'Manage',
    },
    { name: 'Usage', icon: 'chart-column', href: settings('usage'), needs: 'usage:read', under: 'Manage' },
    {
      name: NEWS_TAB,
      icon: 'inbox',
      href: settings('news'),
      needs: 'audit:read',
      under: 'Manage',
      unseen: visit.news.unseen,
    },
    { name: 'Audit log', icon: 'scroll-text', href: settings('audit'), needs: 'audit:read', under: 'Manage' },
  ];
};

interface NavigationProps {
  readonly visit: OrganizationVisit | ProjectVisit;
  readonly tab: string | undefined;
}

export const listAllowedPages = (visit: NavigationProps['visit']): Item[] =>
  ('project' in visit ? listProjectItems(visit) : listOrganizationItems(visit)).filter(({ needs }) =>
    may(visit.person, needs),
  );

function Navigation({ visit, tab }: NavigationProps): Html {
  const items = listAllowedPages(visit);
  const managedItems = items.filter(({ under }) => under !== undefined);
  const renderItems = (shownItems: readonly Item[]) => (
    <ul>
      {shownItems.map(({ name, icon, href, unseen = 0 }) => (
        <li>
          <a href={href} aria-current={name === tab ? 'page' : undefined}>
            <Icon name={icon} />
            {name}
            {unseen > 0 && name !== tab && <Unseen count={unseen} />}
          </a>
        </li>
      ))}
    </ul>
  );
  return (
    <div class="items">
      {renderItems(items.filter(({ under }) => under === undefined))}
      {managedItems.length > 0 && (
        <>
          <p>Manage</p>
          {renderItems(managedItems)}
        </>
      )}
    </div>
  );
}

const MOST_SHOWN = 99;

const Unseen = ({ count }: { readonly count: number }): Html => (
  <span class="unseen">
    {count > MOST_SHOWN ? `${MOST_SHOWN}+` : String(count)}
    <span class="hidden-text"> new</span>
  </span>
);

const PHONE_TABS = 4;

const PhoneTabs = ({ visit, tab }: NavigationProps): Html => (
  <nav class="phone" aria-label="Main pages">
    {listAllowedPages(visit)
      .filter(({ isNoTab }) => !isNoTab)
      .slice(0, PHONE_TABS)
      .map(({ name, icon, href }) => (
        <a href={href} aria-current={name === tab ? 'page' : undefined}>
          <Icon name={icon} size="large" />
          {name}
        </a>
      ))}
    <button type="button" popovertarget="menu">
      <Icon name="menu" size="large" />
      More
      {visit.news.unseen > 0 && tab !== NEWS_TAB && <Unseen count={visit.news.unseen} />}
    </button>
  </nav>
);
