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
    this.readUnits += units(capacity);
  }

  write(capacity: Capacity | readonly Capacity[] | undefined): void {
    this.trips += 1;
    this.writeUnits += units(capacity);
  }

  /**
   * Counts a write whose condition failed, or a cancelled transaction, as one unit. DynamoDB charges for it but does
   * not report how much.
   */
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

const units = (capacity: Capacity | readonly Capacity[] | undefined): number =>
  [capacity ?? []].flat().reduce((total, { CapacityUnits = 0 }) => total + CapacityUnits, 0);
