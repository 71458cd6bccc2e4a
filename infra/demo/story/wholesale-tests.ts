/** The tests of the project Wholesale. */
import type { LargeTest } from './large-runs.ts';

const AREAS = [
  'offers',
  'orders',
  'contracts',
  'customers',
  'deliveries',
  'invoices',
  'prices',
  'returns',
  'roles',
  'depots',
] as const;

/** Titles of the ten tests of each page, of which every area has one. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  list: [
    'opens',
    'shows the latest entries first',
    'sorts by date',
    'filters by customer',
    'goes to the next page',
    'keeps the filter after a reload',
    'selects several rows',
    'says that nothing was found',
    'works by keyboard',
    'shows who changed an entry',
  ],
  details: [
    'opens',
    'shows the address',
    'shows the total',
    'shows the history',
    'links to the customer',
    'is saved',
    'refuses an empty name',
    'warns about unsaved changes',
    'can be printed',
    'is read-only for guests',
  ],
  search: [
    'opens',
    'finds a number',
    'finds two words in any order',
    'tolerates a misspelled word',
    'remembers the last search',
    'marks the words',
    'limits the period',
    'is empty at first',
    'says how many were found',
    'works by keyboard',
  ],
  export: [
    'opens',
    'offers a spreadsheet',
    'offers a PDF',
    'contains all columns',
    'contains the filtered rows only',
    'formats dates of the market',
    'formats amounts of the market',
    'names the file after the filter',
    'is limited to 10,000 rows',
    'is refused for guests',
  ],
  import: [
    'opens',
    'reads a spreadsheet',
    'reads a file of the old system',
    'shows a preview',
    'names the rows that are wrong',
    'skips rows that are there already',
    'can be undone',
    'refuses a file that is too large',
    'keeps the order of the rows',
    'is refused for guests',
  ],
  permissions: [
    'opens',
    'lists the roles',
    'adds a role',
    'removes a role',
    'keeps the last owner',
    'limits a role to a depot',
    'is refused for members',
    'is written to the log',
    'takes effect at once',
    'survives a new sign-in',
  ],
};

export const PAGE_TESTS: readonly LargeTest[] = AREAS.flatMap((area) =>
  Object.entries(PAGES).flatMap(([page, titles]) =>
    titles.map((title) => ({ spec: `${area}/${page}.spec.ts`, title: [area, page, title] })),
  ),
);

/** The spec file that compares pictures. */
export const VISUAL = 'visual.spec.ts';
export const VISUAL_TESTS: readonly LargeTest[] = [
  { spec: VISUAL, title: ['pictures', 'the table of contracts'], tags: ['visual'] },
  {
    spec: VISUAL,
    title: ['pictures', 'the offers of a week'],
    tags: ['visual'],
    annotations: [
      { type: 'issue', description: 'https://git.example.com/shop/wholesale/issues/42' },
      { type: 'owner', description: 'Design' },
    ],
  },
  { spec: VISUAL, title: ['pictures', 'the home page'], tags: ['visual'] },
  { spec: VISUAL, title: ['pictures', 'the sign-in'], tags: ['visual'] },
];

export const TESTS_OF_MAIN = [...PAGE_TESTS, ...VISUAL_TESTS];
