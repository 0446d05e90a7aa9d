export const mobileApp = `
A mobile app for {p} | The website works on my phone in the way a piano works in a car. A real mobile app would be used by our whole field team.
Android app | There is an app for iPhones only. Two thirds of our volunteers have Android phones.
Please make an Android version of the mobile app | I would pay for it at once. The browser version logs me out every other day.
Native iPad layout | The mobile app on an iPad is a huge phone. Two columns in landscape would be enough.
Widgets for the home screen | Today's tasks on the home screen, without opening the mobile app. That is my wish.
Home screen widget with today's list | I glance at my phone a hundred times a day and would see what is next.
Share to {p} from other apps | I find a link, and then copy, switch, paste, save. The share menu of the phone exists for that.
Camera upload in the mobile app | Taking the photo, saving it, choosing it from the gallery: three steps for each of 80 pictures a day.
Scan documents with the mobile app | Edges, contrast, PDF. Our drivers photograph delivery notes on their knees.
Fingerprint unlock for the mobile app | My phone lies on the counter and anybody can read the orders. I wish the app asked for a finger.
Face ID instead of a password every time | Typing 24 characters on a bus is a sport.
Swipe gestures in lists | Swipe left to archive, right to snooze. My thumb expects it from any mobile app by now.
Landscape mode | The mobile app is locked upright, and my phone sits sideways on the handlebar.
Smaller download | 380 MB for a list of tasks is a lot where I live. Please make a light version of the mobile app.
Apple Watch complication | How many orders are waiting: one number on my wrist, nothing else.
Mobile app on older phones | The last update dropped Android 10. Our scanners run it and cost 900 euros each.
Open links in the mobile app | A link from a mail opens the browser, and there I am not signed in.
Tablet pen support | Signing on the glass works, drawing does not. Could you add a sketch field to the mobile app?
Bluetooth barcode scanner support | The camera needs three seconds per code, a ring scanner half of one.
Several accounts in one mobile app | I work for two schools and sign out and in between lessons.
Text size of the system | I set large letters on the phone, and the mobile app shows small ones.
Car mode | Big buttons, read aloud, no typing. I would start a delivery from the steering wheel.
Mobile app for Sailfish and other Linux phones | There are dozens of us. A web app that can be installed would do.
Admin functions on mobile | On call at the weekend I need to block an account, and the mobile app lets me only look at it.
! App Store says the mobile app is not available in my country | It was there yesterday. Did something change?
! Version 7.0 is beautiful | The new mobile app made my day.
`

export const performance = `
Faster start | Eleven seconds until the first click counts, on a new machine. Performance was better two years ago.
Virtual scrolling in long lists | Two thousand rows and the fan begins to sing. Only draw what can be seen, please.
Load the board lazily | I need the first column, and {p} loads nine.
Performance on slow connections | Our ship has 512 kbit/s by satellite. A lean mode without pictures would let us work.
Lower memory use | 2.4 GB for a chat window. I wish there were a performance budget.
Cache what did not change | Each visit loads four megabytes of the same scripts.
Show text before images | Reading could begin while the header picture is still on its way.
Performance dashboard for administrators | Which of our macros makes everything slow? I would like to see the ten worst.
Bulk operations in the background | Closing 500 tickets locks the page for three minutes.
Smaller payloads in the API | Twenty fields that nobody asked for make up most of the answer. A fields parameter would help the performance of our phones.
Energy use on laptops | An open tab costs me an hour of battery.
Smoother typing in big documents | After a hundred pages letters appear a second after the key.
`
