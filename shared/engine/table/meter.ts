/** Counts consumed capacity units and round trips. Each request logs them, and `npm run bench` adds them up. */
interface Capacity {
  readonly CapacityUnits?: number | undefined;
}

export class Meter {
  readUnits = 0;
  writeUnits = 0;
  trips = 0;

  read(capacity: Capacity | readonly Capacity[] | undefined): void {
    this.trips += 1;
    this.readUnits += sumUnits(capacity);
  }

  write(capacity: Capacity | readonly Capacity[] | undefined): void {
    this.trips += 1;
    this.writeUnits += sumUnits(capacity);
  }

  /** A failed condition or cancelled transaction counts as one unit. DynamoDB does not report what it charges. */
  refused(): void {
    this.trips += 1;
    this.writeUnits += 1;
  }

  add(other: Meter): void {
    this.trips += other.trips;
    this.readUnits += other.readUnits;
    this.writeUnits += other.writeUnits;
  }
}

const sumUnits = (capacity: Capacity | readonly Capacity[] | undefined): number =>
  [capacity ?? []].flat().reduce((total, { CapacityUnits = 0 }) => total + CapacityUnits, 0);
