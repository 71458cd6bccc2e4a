/** The commits that the story's runs belong to. */
import type { Author } from './people.ts';

export type StoryProject = 'shop' | 'warehouse';

/**
 * `live`: streamed while the service runs. `tried again`: the jobs that failed are run again. `two jobs`: two jobs run
 * the same tests in the same group. `broken teardown`: all tests pass, but the job fails after them.
 */
type SpecialKind = 'broken teardown' | 'cancelled' | 'live' | 'outage' | 'timed out' | 'tried again' | 'two jobs';

export interface StoryChange {
  /** The number of days between the run and the first start of the service. */
  readonly day: number;
  readonly author: Author;
  readonly message: string;
  readonly special?: SpecialKind;
  readonly pullRequest?: { readonly id: number; readonly title: string };
}

/** The commit that introduced a regression: some articles are sold below their cost price. */
export const BREAKING = { day: 6, message: 'Round discounts per article' } as const;
/** The branch that fixes the regression, and the day of the fix. */
export const REPAIR = { branch: 'fix/tax-rounding', day: 1 } as const;
/** The day on which the bank's test system was down. */
const OUTAGE_DAY = 3;

const makeChange = (day: number, author: Author, message: string, specialKind?: SpecialKind): StoryChange =>
  specialKind ? { day, author, message, special: specialKind } : { day, author, message };

const SHOP: readonly StoryChange[] = [
  makeChange(29, 'admin', 'Show the stock of each shop in the catalogue'),
  makeChange(28, 'member', 'Load the fonts from our own server'),
  makeChange(27, 'actionsAdmin', 'Let the search tolerate a misspelled word'),
  makeChange(26, 'member', 'Remember the last address at the checkout'),
  makeChange(25, 'admin', 'Move the price list to its own module'),
  makeChange(24, 'actionsAdmin', 'Hide discontinued articles'),
  makeChange(23, 'member', 'Return one article of an order'),
  makeChange(22, 'member', 'Translate the messages of the sign-in'),
  makeChange(21, 'admin', 'Split an order by warehouse'),
  makeChange(20, 'actionsAdmin', 'Keep the cart for thirty days'),
  makeChange(19, 'member', 'Show reviews below the article'),
  makeChange(18, 'admin', 'Ask for a confirmation before the newsletter'),
  makeChange(17, 'member', 'Zoom into pictures with two fingers'),
  makeChange(16, 'actionsAdmin', 'Index the descriptions for the search'),
  makeChange(15, 'admin', 'Lock an account after ten attempts'),
  makeChange(14, 'member', 'Download an invoice as PDF'),
  makeChange(13, 'member', 'Suggest similar articles'),
  makeChange(12, 'actionsAdmin', 'Rank search results by sales'),
  makeChange(11, 'admin', 'Follow a parcel from the order page'),
  makeChange(10, 'member', 'Show the price per kilogram'),
  makeChange(9, 'actionsAdmin', 'Estimate the arrival from the stock'),
  makeChange(8, 'admin', 'Read the price list once per hour'),
  makeChange(7, 'member', 'Let the focus return after a dialog'),
  makeChange(BREAKING.day, 'actionsAdmin', BREAKING.message),
  makeChange(5, 'member', 'Offer a notice for a missing size'),
  makeChange(4, 'admin', 'Use a voucher only once'),
  makeChange(OUTAGE_DAY, 'member', 'Show the remaining amount of a voucher', 'outage'),
  makeChange(2, 'admin', 'Print the receipt with the tax of the market'),
  makeChange(1, 'actionsAdmin', 'Sort by price without a reload'),
  makeChange(0, 'member', 'Explain why a card was declined'),
  makeChange(0, 'admin', 'Let a guest choose a default address', 'live'),
];

const WAREHOUSE: readonly StoryChange[] = [
  makeChange(28, 'actionsAdmin', 'Avoid closed aisles'),
  makeChange(26, 'admin', 'Choose the smallest box'),
  makeChange(24, 'actionsAdmin', 'End a reservation after fifteen minutes'),
  makeChange(22, 'member', 'Print the barcode twice as large'),
  makeChange(20, 'admin', 'Propose orders below the minimum stock'),
  makeChange(18, 'actionsAdmin', 'Keep express orders apart'),
  makeChange(16, 'member', 'Mark fragile articles'),
  makeChange(14, 'admin', 'Close a batch at the end of a shift'),
  makeChange(12, 'actionsAdmin', 'Count reserved pieces in the database'),
  makeChange(10, 'actionsAdmin', 'Count reserved pieces only once'),
  makeChange(8, 'member', 'Page through many orders'),
  makeChange(6, 'admin', 'Round weights up to full grams'),
  makeChange(4, 'actionsAdmin', 'Report differences of an inventory'),
  makeChange(2, 'member', 'Follow the new format of the carrier', 'broken teardown'),
  makeChange(0, 'admin', 'Name the version in the health check'),
];

export const MAIN: Readonly<Record<StoryProject, readonly StoryChange[]>> = { shop: SHOP, warehouse: WAREHOUSE };

export interface BranchChange extends StoryChange {
  readonly project: StoryProject;
  readonly branch: string;
}

const bindBranch =
  (project: StoryProject, branch: string, more: Pick<StoryChange, 'pullRequest'> = {}) =>
  (...change: Parameters<typeof makeChange>): BranchChange => ({ ...makeChange(...change), ...more, project, branch });

const release = bindBranch('shop', 'release/2.4');
const giftCards = bindBranch('shop', 'feature/gift-cards', {
  pullRequest: { id: 214, title: 'Sell and redeem gift cards' },
});
const rounding = bindBranch('shop', REPAIR.branch, {
  pullRequest: { id: 221, title: 'Round the tax of an order once' },
});
const updates = bindBranch('warehouse', 'chore/update-dependencies', {
  pullRequest: { id: 87, title: 'Update dependencies' },
});
const warehouseRelease = bindBranch('warehouse', 'release/2.4');

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
