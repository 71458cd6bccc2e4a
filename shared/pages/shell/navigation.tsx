/** The pages to which the sidebar of an organization or of a project leads, and the tabs on phones. */
import type { OrganizationAction } from '#shared/access/actions.ts';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import type { OrganizationVisit, ProjectVisit } from '#shared/sign-in/visit.ts';
import {
  linkToConnectAgent,
  linkToIntegrations,
  linkToIssues,
  linkToOrganization,
  linkToOrganizationSettings,
  linkToProjectPage,
  linkToProjectSettings,
  linkToPullRequests,
  linkToRules,
  linkToRuns,
} from './hrefs.ts';

interface Item {
  readonly name: string;
  readonly icon: IconName;
  readonly href: string;
  readonly needs: OrganizationAction;
  /** Whether the item stands under the heading *Manage*. */
  readonly isManaged?: true;
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
  { name: 'Rules', icon: 'shield', href: linkToRules(visit), needs: 'actions:read', isManaged: true },
  { name: 'Settings', icon: 'settings', href: linkToProjectSettings(visit), needs: 'projects:read', isManaged: true },
];

const NEWS_TAB = 'News';

const listOrganizationItems = (visit: OrganizationVisit): Item[] => {
  const settings = (page: string) => linkToOrganizationSettings(visit, page);
  return [
    { name: 'Overview', icon: 'house', href: linkToOrganization(visit), needs: 'projects:read' },
    { name: 'Members', icon: 'users', href: settings('members'), needs: 'members:list', isManaged: true },
    { name: 'API keys', icon: 'key-round', href: settings('api-keys'), needs: 'apiKeys:list', isManaged: true },
    { name: 'Tokens', icon: 'lock', href: settings('tokens'), needs: 'tokens:listAll', isManaged: true },
    { name: 'Directory', icon: 'network', href: settings('directory'), needs: 'signIn:read', isManaged: true },
    { name: 'Connect an agent', icon: 'bot', href: linkToConnectAgent(visit), needs: 'projects:read', isManaged: true },
    {
      name: 'Issue trackers',
      icon: 'unplug',
      href: linkToIntegrations(visit),
      needs: 'integrations:change',
      isManaged: true,
    },
    {
      name: 'Company sign-in',
      icon: 'log-in',
      href: settings('company-sign-in'),
      needs: 'companySignIn:change',
      isManaged: true,
    },
    {
      name: 'Sharing and AI',
      icon: 'external-link',
      href: settings('sharing'),
      needs: 'organizations:change',
      isManaged: true,
    },
    { name: 'Usage', icon: 'chart-column', href: settings('usage'), needs: 'usage:read', isManaged: true },
    {
      name: NEWS_TAB,
      icon: 'inbox',
      href: settings('news'),
      needs: 'audit:read',
      isManaged: true,
      unseen: visit.news.unseen,
    },
    { name: 'Audit log', icon: 'scroll-text', href: settings('audit'), needs: 'audit:read', isManaged: true },
  ];
};

interface NavigationProps {
  readonly visit: OrganizationVisit | ProjectVisit;
  /** The name of the item to which the page belongs. */
  readonly tab: string | undefined;
}

export function listAllowedPages(visit: NavigationProps['visit']): Item[] {
  const items = 'project' in visit ? listProjectItems(visit) : listOrganizationItems(visit);
  return items.filter(({ needs }) => may(visit.person, needs));
}

export function Navigation({ visit, tab }: NavigationProps): Html {
  const items = listAllowedPages(visit);
  const managedItems = items.filter(({ isManaged }) => isManaged);
  return (
    <div class="items">
      <Items items={items.filter(({ isManaged }) => !isManaged)} tab={tab} />
      {managedItems.length > 0 && (
        <>
          <p>Manage</p>
          <Items items={managedItems} tab={tab} />
        </>
      )}
    </div>
  );
}

interface ItemsProps {
  readonly items: readonly Item[];
  readonly tab: string | undefined;
}

const Items = ({ items, tab }: ItemsProps): Html => (
  <ul>
    {items.map(({ name, icon, href, unseen = 0 }) => (
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

/** Larger numbers would not fit. */
const MOST_SHOWN = 99;

const Unseen = ({ count }: { readonly count: number }): Html => (
  <span class="unseen">
    {count > MOST_SHOWN ? `${MOST_SHOWN}+` : String(count)}
    <span class="hidden-text"> new</span>
  </span>
);

const PHONE_TABS = 4;

export const PhoneTabs = ({ visit, tab }: NavigationProps): Html => (
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
