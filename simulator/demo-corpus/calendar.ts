export const calendarSync = `
Two-way calendar sync with Google Calendar | Events from {p} appear in Google, but changes there are never seen here. I need both directions.
Google Calendar: sync in both directions | I move a meeting in Google Calendar and {p} still reminds me at the old time. Please make calendar sync two-way.
Calendar sync should not be one-way | Editing in my calendar app has no effect on {p}. Everybody in the team has missed a call because of that.
Calendar sync with Outlook | Our company lives in Exchange, and copying appointments by hand is no plan. Support for Microsoft 365 would make us switch.
Outlook and Exchange calendar sync | Please support Microsoft calendars as you do Google's. Half of my customers cannot use Google at work.
Sync to Apple Calendar through CalDAV | An ICS link is refreshed once a day if I am lucky. CalDAV would make it immediate.
CalDAV support | I host my own calendar and would like {p} to write to it. CalDAV is old, boring and works everywhere.
Sync faster than once in 24 hours | The subscribed calendar shows yesterday's plan. Every fifteen minutes would be fine.
Choose which calendars are synced | My dentist does not belong in the team's view. Let me tick the calendars that take part in the sync.
Private events as "busy" only | Calendar sync copies titles and notes. My colleagues need to know that I am away, not why.
Sync time zones correctly | An event made in Lisbon moves by an hour when it reaches Berlin. It would be nice if calendar sync kept the zone instead of the offset.
Recurring events break when synced | One exception in a weekly series turns into fifty single events. Please keep series as series in calendar sync.
Colours of events should survive the sync | All my categories become blue. It is a small thing, but I plan by colour.
Sync tasks with due dates to the calendar | Deadlines live in {p}, my day lives in the calendar. I would love to see both in one place.
Show deadlines in my calendar | A read-only calendar with all due dates of my projects would already replace my wall planner.
Calendar sync per project | One feed for everything is too much. A link for each project would let clients subscribe to theirs.
Delete synced events when a project is archived | Ghost meetings of dead projects haunt my calendar sync for months.
Add attendees through the sync | Guests whom I invite in Google never appear in {p}, so nobody knows who is coming.
Reminders should not come twice | Calendar sync brings its own reminder, and {p} sends another one a minute later.
Holiday calendars | Could you add public holidays by country to the calendar? We plan across five of them.
Sync with Fastmail calendars | It says "unsupported server", although Fastmail speaks the standard.
Calendar sync log | When something does not arrive I cannot see whether it was refused, skipped or never sent. A page with the last fifty operations would save support tickets.
Sync locations and video links | The link to the call stays behind in {p}, so I hunt for it in my mail two minutes before the meeting.
Travel time between synced appointments | I wish the calendar blocked half an hour around meetings that are not in the office.
Delegate calendar sync to an assistant | My assistant plans for four people and has to sign in as each of us to connect a calendar.
Read-only calendar feed with a secret that can be changed | Somebody left the team with the address of our feed in hand. A button that makes a new one is missing.
! Calendar sync is down since this morning | Error 502 on every account here. Anyone else?
! How do I turn calendar sync off? | Found it, never mind: it is under Integrations.
! Calendars of the Maya | A talk about leap years and stone tablets, with pictures.
`

export const timeTracking = `
Start and stop time tracking from the menu bar | Opening a browser tab for each switch is why my time sheet is fiction.
Time tracking with rounding rules | We bill in steps of six minutes. Please add rounding by client.
Detect idle time | I went to lunch for two hours and {p} tracked every minute. Ask me what to do with the gap.
Edit time entries in bulk | Moving forty entries to another project takes forty dialogs.
Billable and internal hours apart | Time tracking has only one total. I wish reports could split what is billed.
Approve time sheets | Team leads sign paper every Friday because {p} has no approval step.
Time tracking on the lock screen | A tap on the phone while I am on a ladder would be ideal.
Remind me when no timer runs | It is eleven o'clock and nothing was tracked. A gentle nudge would be nice.
Time zones in reports | Hours of colleagues in Manila land on the wrong day.
Import time entries from CSV | Three years of history sit in another tool, and our invoices need them.
Weekly time budget per client | Warn us at 80 % and not after the money is gone.
Automatic time tracking from the calendar | Meetings are already written down once. Turning them into time entries would halve my Friday.
`
