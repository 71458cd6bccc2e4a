/** The layout of every page: header, navigation, breadcrumbs and footer. */

import type { OrganizationAction } from '#shared/access/actions.ts';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { AccountVisit, AnyVisit, OrganizationVisit, ProjectVisit, Visit } from '#shared/sign-in/visit.ts';
import { assetPath } from './asset-paths.ts';
import {
  accountHref,
  analyticsHref,
  connectAgentHref,
  homeHref,
  organizationHref,
  organizationPageHref,
  projectSettingsHref,
  rulesHref,
  runsHref,
  signInHref,
} from './hrefs.ts';
import type { Breadcrumb, View } from './view.ts';

/** Renders the whole HTML document. */
export const layout = (visit: Visit | AnyVisit, view: View): string =>
  `<!DOCTYPE html>${(
    <html lang="en" data-theme={visit.theme}>
      <Head visit={visit} view={view} />
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Header visit={visit} />
        {'organizationId' in visit && <Bar visit={visit} tab={view.tab} />}
        <main id="main">
          {view.breadcrumbs && <Breadcrumbs all={view.breadcrumbs} />}
          {view.queryProblem !== undefined && (
            <p class="notice problem-text" role="alert">
              {view.queryProblem}. All filters in this address were ignored.
            </p>
          )}
          {view.isBehind && (
            <p class="notice" role="status">
              Runs that ended within the last minute are still being added. Reload the page to see them.
            </p>
          )}
          {view.body}
        </main>
        <footer>
          Rundown · <span class="zone">Times in UTC</span>
        </footer>
      </body>
    </html>
  )}`;

const Head = ({ visit, view }: { readonly visit: Visit | AnyVisit; readonly view: View }): Html => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content={visit.theme === 'system' ? 'light dark' : visit.theme} />
    <title>{[view.title, ...('project' in visit ? [visit.project.name] : []), 'Rundown'].join(' · ')}</title>
    <link rel="icon" href={visit.base + assetPath('icon.svg')} type="image/svg+xml" />
    <link rel="stylesheet" href={visit.base + assetPath('rundown.css')} />
    <script type="module" src={visit.base + assetPath('rundown.js')} />
    {view.script && <script type="module" src={visit.base + assetPath(view.script)} />}
  </head>
);

const Header = ({ visit }: { readonly visit: Visit | AnyVisit }): Html => (
  <header class="top">
    <nav aria-label="Service">
      <a class="brand" href={homeHref(visit)}>
        Rundown
      </a>
      {'organizationId' in visit && <a href={organizationHref(visit)}>{visit.organizationName}</a>}
      <span class="grow" />
      {'account' in visit ? <Account visit={visit} /> : <a href={signInHref(visit)}>Sign in</a>}
    </nav>
  </header>
);

const Account = ({ visit }: { readonly visit: AccountVisit }): Html => (
  <a href={accountHref(visit)} title={visit.account.email}>
    {visit.account.name}
  </a>
);

interface Tab {
  readonly name: string;
  readonly href: string;
  readonly needs: OrganizationAction;
}

const projectTabs = (visit: ProjectVisit): Tab[] => [
  { name: 'Runs', href: runsHref(visit), needs: 'results:read' },
  { name: 'Tests', href: analyticsHref(visit, 'tests'), needs: 'analytics:read' },
  { name: 'Flaky', href: analyticsHref(visit, 'flaky'), needs: 'analytics:read' },
  { name: 'Errors', href: analyticsHref(visit, 'errors'), needs: 'analytics:read' },
  { name: 'Insights', href: analyticsHref(visit, 'insights'), needs: 'analytics:read' },
  { name: 'Rules', href: rulesHref(visit), needs: 'actions:read' },
  { name: 'Settings', href: projectSettingsHref(visit), needs: 'projects:read' },
];

const organizationTabs = (visit: OrganizationVisit): Tab[] => [
  { name: 'Projects', href: organizationHref(visit), needs: 'projects:read' },
  { name: 'Members', href: organizationPageHref(visit, 'settings', 'members'), needs: 'members:list' },
  { name: 'API keys', href: organizationPageHref(visit, 'settings', 'api-keys'), needs: 'apiKeys:list' },
  { name: 'Tokens', href: organizationPageHref(visit, 'settings', 'tokens'), needs: 'tokens:listAll' },
  { name: 'Connect an agent', href: connectAgentHref(visit), needs: 'projects:read' },
  { name: 'Audit log', href: organizationPageHref(visit, 'settings', 'audit'), needs: 'audit:read' },
];

/** Navigation, without the pages that the role may not open. */
function Bar({
  visit,
  tab,
}: {
  readonly visit: OrganizationVisit | ProjectVisit;
  readonly tab: string | undefined;
}): Html {
  const tabs = 'project' in visit ? projectTabs(visit) : organizationTabs(visit);
  return (
    <nav class="bar" aria-label={'project' in visit ? 'Project' : 'Organization'}>
      {'project' in visit && <strong>{visit.project.name}</strong>}
      {tabs
        .filter(({ needs }) => may(visit.person, needs))
        .map(({ name, href }) => (
          <a href={href} aria-current={name === tab ? 'page' : undefined}>
            {name}
          </a>
        ))}
    </nav>
  );
}

const Breadcrumbs = ({ all }: { readonly all: readonly Breadcrumb[] }): Html => (
  <nav class="breadcrumbs" aria-label="Breadcrumbs">
    <ol>
      {all.map(({ name, href }) => (
        <li>{href === undefined ? <span aria-current="page">{name}</span> : <a href={href}>{name}</a>}</li>
      ))}
    </ol>
  </nav>
);
