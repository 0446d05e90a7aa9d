export const notifications = `
Mute notifications for one thread | A discussion about the coffee machine has 140 answers, and I am in it because I wrote "agreed".
Mute a single conversation | Leaving the project is not an option, but I need silence from one thread. Please add a mute button to notifications.
Notification settings per project | I want everything from the incident channel and nothing from the lunch channel. {p} knows only all or none.
Different notifications for each project | One project is urgent, nine are not. It would be great if notifications could tell them apart.
Quiet hours for notifications | My phone lights up at 3 am because a colleague in Auckland closes tickets. Let me say when I sleep.
Do not disturb from 20:00 to 8:00 | A schedule for notifications would save my marriage, I am told.
Pause notifications during holidays | Three weeks away, 2,400 mails waiting. It would be great if {p} had a setting to stop all notifications until a date.
Daily digest instead of single notifications | Forty mails a day are forty interruptions. I would like an option in {p} to get one summary at 9 in the morning.
Digest e-mails once a day | Please bundle what happened into one message, grouped by project.
Weekly summary for managers | I do not need each change, only what moved since last Friday.
Notify me only when I am mentioned | Watching a document should not mean a message for every comma. Mentions are what matters to me.
Notifications in Slack | We sit in Slack all day and nobody looks into a second inbox. A message to a channel of our choice would be enough.
Send notifications to Microsoft Teams | The connector that we used was retired, and since then alerts reach nobody.
Webhook for notifications | I would like to route alerts to our own bot. JSON over HTTP, that is all.
Notification sounds per type | An incident and a thumbs-up make the same ping. My pulse cannot tell them apart.
Mark all notifications as read | I came back to 312 of them and there is no button.
Read state should sync between devices | What I have read on the phone is new again on the laptop.
Snooze a notification | I cannot deal with it now, and if I open it, it is gone. Please add a button that shows the notification again in two hours.
Push notifications on the desktop | The browser tab is closed most of the time, so I notice things a day later.
Explain why I get this notification | A line such as "because you are assigned" would help me to turn the right switch.
Unsubscribe link in every mail | The footer leads to a login and then to a page with eighty check boxes. One click should suffice.
Notifications when a build gets slow | Failing builds are reported, builds that take twice as long are not. A threshold would be lovely.
Escalate unread notifications | If nobody opens an alert within ten minutes, call the next person on the list.
Filter the notification list by type | Reviews, mentions and assignments are in one long list. Tabs would help me to start with reviews.
Group notifications by thread | Eleven entries for one conversation push everything else off the screen.
! No notifications on Android 15 | Reinstalled twice, battery saver off. Is this a known problem?
! Thanks for the new notification centre | Looks clean. Carry on.
`

export const integrations = `
Webhooks for every event | We poll the API each minute to learn that nothing happened. Please add webhooks for created, changed and deleted.
Retry failed webhooks | Our endpoint restarts for five seconds and the event is lost for good. Retries with a growing pause are what everyone else does.
Sign webhooks with a secret | Anybody who knows the address can send us events. An HMAC header would let us check.
A log of delivered webhooks | When a webhook fails I would like to see the answer that you got from us.
Official API client for Python | All of us have written the same hundred lines around your API.
Higher API rate limits for paid plans | The migration of our archive will take nine days at this rate. I wish limits could be bought.
API tokens with fewer rights | The only token can do everything, so I cannot give one to a script that reads a single list.
Cursor pagination in the API | Page numbers skip records when something is added meanwhile.
GraphQL API | Twelve requests to draw one card is a lot on a train.
Zapier integration | I am no programmer. Connecting {p} with my spreadsheet in three clicks would be a dream.
n8n node | We automate with n8n and use raw HTTP nodes for {p}. A proper node would be shared by many of us.
Terraform provider | Forty projects with the same settings, clicked by hand, are forty different projects.
Import from Trello | Five years of boards are the only reason why we have not moved to {p} yet.
Jira import keeps losing comments | Titles and states arrive, the discussion does not. It would be nice if the importer took everything.
Link commits to tasks automatically | Writing the number into the commit message should be enough for {p} to find it.
Send data to BigQuery | Our analysts want raw rows every night, and I want to stop being the export button.
Sandbox for the API | Testing against production makes me sweat.
OpenAPI description | We generate clients from a schema. Could you publish one and keep it true?
! API returns 500 for project 8841 | Only this project, only since the deployment on Tuesday.
`
