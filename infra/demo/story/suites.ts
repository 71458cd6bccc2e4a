/** The tests of the projects Shop and Warehouse: titles by spec file. `@` starts a tag. */

type Suite = Readonly<Record<string, readonly string[]>>;

/** The first four files are those of the sample suite, so `npm run demo` continues their history. */
const SHOP: Suite = {
  'cart.spec.ts': [
    'cart › sums equal articles',
    'cart › refuses a line without pieces',
    'cart › reserves the last piece in stock @stock',
    'cart › keeps its articles after signing in',
    'cart › removes an article',
    'cart › shows the delivery date',
  ],
  'pricing.spec.ts': [
    'pricing › adds the tax of the market @smoke @money @tax',
    'pricing › shows net prices to traders',
    'pricing › discounts › by quantity › leaves nineteen pieces at the list price',
    'pricing › discounts › by quantity › never sells below the cost price @money',
    'pricing › discounts › stacks a voucher on a discount',
    'pricing › discounts › converts a discount to a second currency',
  ],
  'price-import.spec.ts': [
    'price import › reads every article',
    'price import › reads prices in cents',
    'an empty price list is accepted',
  ],
  'checkout/payment.spec.ts': [
    'payment › accepts a well-formed card number @smoke',
    'payment › hears from the bank in time',
    'payment › shows why the bank declined a card',
    'payment › pays with an invoice',
    'order › opens @order',
    'order › is authorized by the card @order',
    'order › is paid @order',
    'order › sends a receipt @order',
  ],
  'checkout/voucher.spec.ts': [
    'voucher › lowers the total @money',
    'voucher › is refused after its last day',
    'voucher › is used once',
    'voucher › cannot be combined with a sale',
    'voucher › shows the remaining amount @money',
  ],
  'checkout/shipping.spec.ts': [
    'shipping › offers to pick up at a shop',
    'shipping › adds the costs of an island @money',
    'shipping › rejects an unknown postal code',
    'shipping › remembers the last address',
    'shipping › splits an order by warehouse @stock',
    'shipping › estimates the arrival',
  ],
  'search.spec.ts': [
    'search › finds articles while typing @smoke',
    'search › tolerates a misspelled word',
    'search › filters by colour',
    'search › sorts by price',
    'search › says that nothing was found',
    'search › keeps the filter on the next page',
  ],
  'catalogue.spec.ts': [
    'catalogue › lists the articles of a category @smoke',
    'catalogue › shows the stock of each shop @stock',
    'catalogue › loads more articles while scrolling',
    'catalogue › hides discontinued articles',
    'catalogue › shows the price per kilogram',
  ],
  'article.spec.ts': [
    'article › zooms into a picture',
    'article › switches the colour',
    'article › shows reviews',
    'article › offers a notice for a missing size',
    'article › suggests similar articles',
  ],
  'account/sign-in.spec.ts': [
    'sign-in › accepts a one-time code @smoke',
    'sign-in › refuses an expired code',
    'sign-in › locks an account after ten attempts',
    'sign-in › leads back to the cart',
  ],
  'account/orders.spec.ts': [
    'orders › lists the latest orders @order',
    'orders › downloads an invoice',
    'orders › returns one article of an order @order',
    'orders › follows a parcel',
  ],
  'account/addresses.spec.ts': [
    'addresses › adds an address',
    'addresses › chooses a default address',
    'addresses › deletes an address',
  ],
  'newsletter.spec.ts': ['newsletter › subscribes with a confirmation', 'newsletter › unsubscribes with one click'],
  'accessibility.spec.ts': [
    'accessibility › the home page has no violations',
    'accessibility › the checkout has no violations',
    'accessibility › the cart works by keyboard',
    'accessibility › the focus returns after a dialog',
  ],
  'language.spec.ts': [
    'language › follows the browser',
    'language › formats prices of the market',
    'language › translates error messages',
  ],
};

const GIFT_CARDS: Suite = {
  'checkout/gift-cards.spec.ts': [
    'gift cards › sells a card of any amount @money',
    'gift cards › redeems a card at the checkout @money',
    'gift cards › shows the balance',
    'gift cards › refuses a used card',
  ],
};

const WAREHOUSE: Suite = {
  'test/stock/reservation.test.ts': [
    'reservation › takes pieces out of the free stock',
    'reservation › ends after fifteen minutes',
    'reservation › is refused for more pieces than there are',
    'reservation › of one order is made once',
    'reservation › survives a restart',
    'reservation › can be released',
  ],
  'test/stock/count.test.ts': [
    'count › adds deliveries',
    'count › subtracts parcels',
    'count › counts reserved pieces once',
    'count › never becomes negative',
    'count › reports differences of an inventory',
  ],
  'test/picking/route.test.ts': [
    'route › visits each shelf once',
    'route › begins at the dock',
    'route › avoids a closed aisle',
    'route › puts heavy articles first',
    'route › is empty without orders',
    'route › takes less than a second for 500 shelves',
  ],
  'test/picking/batch.test.ts': [
    'batch › joins orders of one aisle',
    'batch › holds at most twelve orders',
    'batch › keeps express orders apart',
    'batch › splits an order that is too heavy',
    'batch › closes at the end of a shift',
  ],
  'test/parcels/label.test.ts': [
    'label › prints the address',
    'label › contains a barcode',
    'label › shortens long names',
    'label › marks fragile articles',
    'label › is printed again on request',
    'label › follows the format of the carrier',
  ],
  'test/parcels/weight.test.ts': [
    'weight › sums articles and box',
    'weight › chooses the smallest box',
    'weight › refuses more than 30 kilograms',
    'weight › rounds up to full grams',
  ],
  'test/suppliers/order.test.ts': [
    'supplier order › is proposed below the minimum stock',
    'supplier order › respects the package size',
    'supplier order › waits for an approval',
    'supplier order › is sent once',
    'supplier order › can be delivered in parts',
  ],
  'test/api/health.test.ts': ['health › answers', 'health › names its version', 'health › reports a lost database'],
  'test/api/orders.test.ts': [
    'orders › accepts an order',
    'orders › refuses an order without an address',
    'orders › lists open orders',
    'orders › pages through many orders',
    'orders › cancels an order before it is picked',
    'orders › announces a parcel',
  ],
};

export const SUITES = { shop: SHOP, warehouse: WAREHOUSE, giftCards: GIFT_CARDS } as const;
