/**
 * The verbs with which a name of a function may begin. Words that are nouns in this product, such as page, order, name, state,
 * test and time, are missing on purpose, although they are verbs as well.
 */
export const VERBS: ReadonlySet<string> = new Set(
  `abort accept acknowledge acquire add adjust adopt advance align allow analyze announce answer append apply archive arrive ask assert assign attach audit authenticate authorize
  await backfill bake balance batch begin bind block boot bound break bring browse build bundle buy calculate call can cancel capture catch cause change charge check
  choose claim classify clean clear clip clone close coerce collapse collect color combine compact compare compile complete compose compress compute configure
  confirm connect consume contain continue convert copy count cover crawl create cross cut dance decide declare decline decode decompress decrypt deduplicate
  defer define delay delete deliver deny depend derive describe deserialize detach detect determine disable discard disconnect discover dispatch dispose distribute divide do
  download draw drop dump elect embed emit enable encode encrypt end enqueue enrich ensure enter enumerate erase escape establish estimate evaluate exceed exchange exclude execute
  exist exit expand expect expire explain export expose extend extract fail fall fan feed fetch fill filter find finish fire fit fix flag flatten flip flush fold follow forget
  forward format free freeze gather generate get give go grant group grow guard guess handle happen hash has have help hide highlight hold hydrate identify ignore import include increase
  increment indent infer inform inherit init initialize inline insert inspect install interpret introduce intersect invalidate invite invoke is iterate join judge jump keep kill
  know land last launch learn leave lend let lift limit link list listen load locate lock log look lower mail make map mark mask match may measure meet mend merge migrate
  mint mix mount move multiply must narrow need negate nest normalize note notify observe occupy offer omit open overlap overwrite pack pad paginate paint
  parse pass paste patch pause pay peek perform permit persist pick pin place plan poll pop populate predict prefer prefix prepare present preserve prevent
  print probe process produce promise prompt propose protect prove provide prune publish pull purge push put query queue quote raise rank reach react read rebuild recall receive recognize
  reconcile recognise recompute reconnect record recover redact redirect redeliver reduce refer refill refresh refuse register reject relate relax relay release reload rely remain
  remember remind remove rename render renew reopen repair repeat replace replay reply report request require rerun resend reschedule reserve reset resolve respond restart restore
  restrict resume retain retire retry return reuse reveal reverse revert review revoke rewrite rotate round route run sample sanitize save say scale scan schedule search
  see seed seek select send separate serialize serve set settle share shift shorten should show shrink shuffle shut sign simulate skip slice sort spawn spell spend
  split spread squash start stay steal step stop store stream strip stringify submit subscribe substitute subtract suggest sum summarize supply support suppress suspend swap sweep switch synchronize
  synthesize tag take tell terminate throttle throw tidy tighten to toggle touch trace track transform translate traverse trigger trim truncate try turn unblock unescape
  unfold unlink unlock unpack unquote unsubscribe unwrap unzip update upgrade upload upsert use validate verify visit wait wake walk want warn watch weigh widen will withdraw
  wrap write yield`
    .trim()
    .split(/\s+/),
);
