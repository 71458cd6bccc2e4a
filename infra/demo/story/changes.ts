/** The commits that the story's runs belong to. */
import type { Author } from './people.ts';

export type StoryProject = 'shop' | 'warehouse';

/**
 * How a run differs from ordinary runs. `live`: the run is streamed while the service is running. `tried again`: the jobs
 * that failed are run again. `two jobs`: two jobs execute the same tests in the same group. `broken teardown`: all tests
 * pass, but the job fails after them.
 */
type Special = 'broken teardown' | 'cancelled' | 'live' | 'outage' | 'timed out' | 'tried again' | 'two jobs';

export interface StoryChange {
  /** The number of days between the run and the first start of the service. */
  readonly day: number;
  readonly author: Author;
  readonly message: string;
  readonly special?: Special;
  readonly pullRequest?: { readonly id: number; readonly title: string };
}

/** The commit that introduced a regression: some articles are sold below their cost price. */
export const BREAKING = { day: 6, message: 'Round discounts per article' } as const;
/** The branch that fixes the regression, and the day of the fix. */
export const REPAIR = { branch: 'fix/tax-rounding', day: 1 } as const;
/** The day on which the bank's test system was down. */
const OUTAGE_DAY = 3;

const of = (day: number, author: Author, message: string, special?: Special): StoryChange =>
  special ? { day, author, message, special } : { day, author, message };

const SHOP: readonly StoryChange[] = [
  of(29, 'admin', 'Show the stock of each shop in the catalogue'),
  of(28, 'member', 'Load the fonts from our own server'),
  of(27, 'actionsAdmin', 'Let the search tolerate a misspelled word'),
  of(26, 'member', 'Remember the last address at the checkout'),
  of(25, 'admin', 'Move the price list to its own module'),
  of(24, 'actionsAdmin', 'Hide discontinued articles'),
  of(23, 'member', 'Return one article of an order'),
  of(22, 'member', 'Translate the messages of the sign-in'),
  of(21, 'admin', 'Split an order by warehouse'),
  of(20, 'actionsAdmin', 'Keep the cart for thirty days'),
  of(19, 'member', 'Show reviews below the article'),
  of(18, 'admin', 'Ask for a confirmation before the newsletter'),
  of(17, 'member', 'Zoom into pictures with two fingers'),
  of(16, 'actionsAdmin', 'Index the descriptions for the search'),
  of(15, 'admin', 'Lock an account after ten attempts'),
  of(14, 'member', 'Download an invoice as PDF'),
  of(13, 'member', 'Suggest similar articles'),
  of(12, 'actionsAdmin', 'Rank search results by sales'),
  of(11, 'admin', 'Follow a parcel from the order page'),
  of(10, 'member', 'Show the price per kilogram'),
  of(9, 'actionsAdmin', 'Estimate the arrival from the stock'),
  of(8, 'admin', 'Read the price list once per hour'),
  of(7, 'member', 'Let the focus return after a dialog'),
  of(BREAKING.day, 'actionsAdmin', BREAKING.message),
  of(5, 'member', 'Offer a notice for a missing size'),
  of(4, 'admin', 'Use a voucher only once'),
  of(OUTAGE_DAY, 'member', 'Show the remaining amount of a voucher', 'outage'),
  of(2, 'admin', 'Print the receipt with the tax of the market'),
  of(1, 'actionsAdmin', 'Sort by price without a reload'),
  of(0, 'member', 'Explain why a card was declined'),
  of(0, 'admin', 'Let a guest choose a default address', 'live'),
];

const WAREHOUSE: readonly StoryChange[] = [
  of(28, 'actionsAdmin', 'Avoid closed aisles'),
  of(26, 'admin', 'Choose the smallest box'),
  of(24, 'actionsAdmin', 'End a reservation after fifteen minutes'),
  of(22, 'member', 'Print the barcode twice as large'),
  of(20, 'admin', 'Propose orders below the minimum stock'),
  of(18, 'actionsAdmin', 'Keep express orders apart'),
  of(16, 'member', 'Mark fragile articles'),
  of(14, 'admin', 'Close a batch at the end of a shift'),
  of(12, 'actionsAdmin', 'Count reserved pieces in the database'),
  of(10, 'actionsAdmin', 'Count reserved pieces only once'),
  of(8, 'member', 'Page through many orders'),
  of(6, 'admin', 'Round weights up to full grams'),
  of(4, 'actionsAdmin', 'Report differences of an inventory'),
  of(2, 'member', 'Follow the new format of the carrier', 'broken teardown'),
  of(0, 'admin', 'Name the version in the health check'),
];

export const MAIN: Readonly<Record<StoryProject, readonly StoryChange[]>> = { shop: SHOP, warehouse: WAREHOUSE };

export interface BranchChange extends StoryChange {
  readonly project: StoryProject;
  readonly branch: string;
}

const on =
  (project: StoryProject, branch: string, more: Pick<StoryChange, 'pullRequest'> = {}) =>
  (...change: Parameters<typeof of>): BranchChange => ({ ...of(...change), ...more, project, branch });

const release = on('shop', 'release/2.4');
const giftCards = on('shop', 'feature/gift-cards', {
  pullRequest: { id: 214, title: 'Sell and redeem gift cards' },
});
const rounding = on('shop', REPAIR.branch, { pullRequest: { id: 221, title: 'Round the tax of an order once' } });
const updates = on('warehouse', 'chore/update-dependencies', { pullRequest: { id: 87, title: 'Update dependencies' } });
const warehouseRelease = on('warehouse', 'release/2.4');

export const OTHER_BRANCHES: readonly BranchChange[] = [
  release(14, 'admin', 'Begin release 2.4'),
  release(9, 'admin', 'Estimate the arrival from the stock (2.4)', 'timed out'),
  release(2, 'admin', 'Print the receipt with the tax of the market (2.4)'),
  giftCards(5, 'member', 'Sell gift cards of any amount'),
  giftCards(4, 'member', 'Redeem gift cards, first draft', 'cancelled'),
  giftCards(3, 'member', 'Redeem gift cards'),
  giftCards(0, 'member', 'Refuse used gift cards'),
  rounding(4, 'actionsAdmin', 'Test the tax of split orders'),
  rounding(REPAIR.day, 'actionsAdmin', 'Round the tax of an order once', 'tried again'),
  warehouseRelease(13, 'admin', 'Begin release 2.4'),
  updates(11, 'member', 'Update the database client'),
  updates(10, 'member', 'Close connections of the new database client'),
  updates(6, 'member', 'Test on the next version of Node.js, too', 'two jobs'),
  warehouseRelease(2, 'admin', 'Follow the new format of the carrier (2.4)'),
];
